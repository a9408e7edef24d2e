// SPDX-License-Identifier: MIT

// Tests of failures: rejected queries, abandoned queries, and servers that are unavailable.
#include <signal.h>

#include <algorithm>

#include "runtime/concurrent.h"
#include "runtime/scope.h"
#include "runtime/tcp.h"
#include "tests/pg/database.h"

namespace volt::pg {
namespace {

using namespace test;

Task<> lose(Pool db, std::shared_ptr<base::Atomic<int>> lost) {
  try {
    co_await db.execute("select pg_sleep(600)");
  } catch (const ConnectionLost&) {
    lost->fetch_add(1, base::relaxed);  // relaxed: the scope's end orders it
  }
}

// Returns whether the server executes queries again within a time limit.
Task<bool> comes_back(Pool& db) {
  for (int round = 0; round != 1200; ++round) {
    try {
      const auto answer = co_await db.find<int>("select 1");
      co_return answer == 1;
    } catch (const Unavailable&) {
    } catch (const ConnectionLost&) {
    } catch (const QueryTimeout&) {
    }
    co_await sleep_for(50ms);
  }
  co_return false;
}

// Accepts connections and sends `greeting`. Then closes them if `closes` is true, or stays silent.
Task<> pretend(TcpListener listener, std::string greeting, bool closes) {
  std::vector<TcpStream> streams;
  for (;;) {
    Result<TcpStream> stream = co_await listener.accept();
    if (!stream) continue;
    if (!greeting.empty()) static_cast<void>(co_await stream->write_all(std::as_bytes(std::span(greeting))));
    if (!closes) streams.push_back(*std::move(stream));
  }
}

PoolOptions of(const Address& address) {
  PoolOptions options = patient(1);
  options.url = "postgresql://test@127.0.0.1:" + std::to_string(address.port()) + "/postgres?sslmode=disable";
  return options;
}

}  // namespace

TEST_SUITE_BEGIN("pg/failure");

TEST_CASE("a server error has a sqlstate, and the next query succeeds") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    for (int round = 0; round != 3; ++round) {
      const auto syntax = co_await error_of<ServerError>(db.execute("selekt 1"));
      CHECK(syntax.value().sqlstate() == "42601");
      const auto table = co_await error_of<ServerError>(db.execute("select * from not_there where id = $1", 1));
      CHECK(table.value().sqlstate() == "42P01");
      const auto parameter = co_await error_of<ServerError>(db.execute("select $1::int", "seven"));
      CHECK(parameter.value().sqlstate() == "22P02");
      const auto answer = co_await db.find<int>("select 1");
      CHECK(answer == 1);
    }
  });
}

TEST_CASE("queries that were sent before the preparation failed get its error") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const auto wrong = [&db]() -> Task<std::string> {
      try {
        co_await db.execute("select * from not_there");
      } catch (const ServerError& error) {
        co_return std::string(error.sqlstate());
      }
      co_return "";
    };
    const auto [a, b, c] = co_await all(wrong, wrong, wrong);
    for (const std::string& state : {a, b, c}) CHECK(state == "42P01");
    Batch batch;
    for (int i = 0; i != 10; ++i) batch.add("select * from not_there_either");
    const auto error = co_await error_of<ServerError>(db.send(std::move(batch)));
    CHECK(error.value().sqlstate() == "42P01");
  });
}

TEST_CASE("constraint violations have their own error types") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    co_await db.execute("create temporary table parent (id int primary key)");
    co_await db.execute(
        "create temporary table child (id int not null, parent int references parent, positive int check (positive > "
        "0))");
    const auto foreign = co_await error_of<ForeignKeyViolation>(db.execute("insert into child values (1, 1, 1)"));
    CHECK(foreign.value().constraint() == "child_parent_fkey");
    const auto null =
        co_await error_of<NotNullViolation>(db.execute("insert into child values ($1, null, 1)", nullptr));
    CHECK(null.value().message().column == "id");
    const auto check = co_await error_of<CheckViolation>(db.execute("insert into child values (1, null, $1)", -1));
    CHECK(check.value().constraint() == "child_positive_check");
    CHECK(check.value().sqlstate() == "23514");
  });
}

TEST_CASE("a statement whose columns have changed fails once") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    co_await db.execute("create temporary table changing (id int)");
    co_await db.execute("insert into changing values (7)");
    constexpr std::string_view text = "select * from changing";
    const auto before = co_await db.find<int>(text);
    CHECK(before == 7);
    co_await db.execute("alter table changing alter id type text");
    const auto error = co_await error_of<ServerError>(db.find<std::string>(text));
    CHECK(error.value().sqlstate() == "0A000");
    const auto after = co_await db.find<std::string>(text);
    CHECK(after == "7");
    co_await db.execute("deallocate all");
    const auto forgotten = co_await error_of<ServerError>(db.find<std::string>(text));
    CHECK(forgotten.value().sqlstate() == "26000");
    const auto again = co_await db.find<std::string>(text);
    CHECK(again == "7");
  });
}

TEST_CASE("a transaction or a COPY on a shared connection is an error and closes the connection") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const int first = co_await backend(db);
    const auto begin = co_await error_of<Error>(db.execute("begin"));
    CHECK(std::string(begin.value().what()) == "begin a transaction with Pool::transaction()");
    const int second = co_await backend(db);
    CHECK(first != second);
    co_await error_of<Error>(db.execute("copy pg_class to stdout"));
    const int third = co_await backend(db);
    CHECK(second != third);
  });
}

TEST_CASE("queries that the protocol cannot represent are rejected before sending") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const std::string cut("delete from pg_class\0 where false", 34);
    const auto zero = co_await error_of<Error>(db.execute(cut));
    CHECK(std::string(zero.value().what()) == "the text of a query contains a zero byte");
    Batch batch;
    batch.add("select 1");
    Query query("select 1");
    for (int i = 0; i != 65'536; ++i) query.parameters.add(i);
    batch.add(query);
    const auto error = co_await error_of<Error>(db.send(std::move(batch)));
    CHECK(std::string(error.value().what()) == "a query has more than 65535 parameters");
  });
}

TEST_CASE("an abandoned query that ends soon keeps its connection") {
  PoolOptions options = patient(1);
  options.drain_timeout = 60s;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    const int before = co_await backend(db);
    const auto slow = [&db] { return db.execute("select pg_sleep(0.5)"); };
    const Result<std::uint64_t> cut = co_await within(20ms, slow);
    CHECK(!cut);
    const int after = co_await backend(db);  // waits until it is drained
    CHECK(before == after);
  });
}

TEST_CASE("an abandoned query that continues is canceled, and its connection is closed") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const int before = co_await backend(db);
    const auto slow = [&db] { return db.execute("select pg_sleep(600), 'given up'"); };
    const Result<std::uint64_t> cut = co_await within(50ms, slow);
    CHECK(!cut);
    const int after = co_await backend(db);
    CHECK(before != after);
    const bool stopped = co_await count_becomes(
        db, "select count(*) from pg_stat_activity where query like '%given up%' and pid <> pg_backend_pid()", 0);
    CHECK(stopped);
  });
}

TEST_CASE("queries after an abandoned query still get their results") {
  PoolOptions options = patient(1);
  options.drain_timeout = 20ms;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    static_cast<void>(co_await backend(db));
    const auto slow = [&db]() -> Task<bool> {
      const auto sleeper = [&db] { return db.execute("select pg_sleep(0.7)"); };
      const Result<std::uint64_t> cut = co_await within(50ms, sleeper);
      co_return cut.has_value();
    };
    const auto behind = [&db] { return db.find<int>("select $1", 7); };
    const auto [answered, answer] = co_await all(slow, behind);
    CHECK(!answered);
    CHECK(answer == 7);
  });
}

TEST_CASE("a query that exceeds its timeout is an error") {
  PoolOptions options = patient(1);
  options.query_timeout = 100ms;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    co_await error_of<QueryTimeout>(db.execute("select pg_sleep(600)"));
    const bool back = co_await comes_back(db);
    CHECK(back);
  });
}

TEST_CASE("the server's statement_timeout causes QueryCanceled") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    Transaction transaction = co_await db.transaction();
    co_await transaction.execute("set local statement_timeout = '20ms'");
    co_await error_of<QueryCanceled>(transaction.execute("select pg_sleep(600)"));
  });
}

TEST_CASE("queries in progress fail when the server ends their connection") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    Pool other(patient(1));
    const int pid = co_await backend(db);
    auto lost = std::make_shared<base::Atomic<int>>(0);
    co_await with_scope([&](Scope& scope) -> Task<> {
      for (int i = 0; i != 5; ++i) scope.spawn(lose, db, lost);
      while (db.state().queries != 5) co_await sleep_for(1ms);
      const auto ended = co_await other.find<bool>("select pg_terminate_backend($1)", pid);
      CHECK(ended == true);
    });
    CHECK(lost->load(base::relaxed) == 5);  // relaxed: the scope's end orders it
    const int next = co_await backend(db);
    CHECK(next != pid);
  });
}

TEST_CASE("the pool reconnects after a crash of the server") {
  with_pool(patient(2), [](Pool& db) -> Task<> {
    auto lost = std::make_shared<base::Atomic<int>>(0);
    Transaction transaction = co_await db.transaction();
    const auto pid = co_await transaction.find<int>("select pg_backend_pid()");
    co_await with_scope([&](Scope& scope) -> Task<> {
      scope.spawn(lose, db, lost);
      while (db.state().queries != 1) co_await sleep_for(1ms);
      REQUIRE(::kill(pid.value(), SIGKILL) == 0);
    });
    CHECK(lost->load(base::relaxed) == 1);  // relaxed: the scope's end orders it
    co_await error_of<ConnectionLost>(transaction.execute("select 1"));
    const bool back = co_await comes_back(db);
    CHECK(back);
  });
}

TEST_CASE("a missing server is unavailable immediately, and retried after a pause") {
  PoolOptions options = patient(4);
  options.url = "host=/nonexistent dbname=none";
  options.backoff_min = 10min;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    const auto first = co_await error_of<Unavailable>(db.execute("select 1"));
    CHECK(std::string(first.value().what()).find("/nonexistent") != std::string::npos);
    const auto second = co_await error_of<Unavailable>(db.execute("select 1"));
    CHECK(std::string(second.value().what()) == first.value().what());
    CHECK(db.state().connecting == 0);
  });
}

TEST_CASE("a rejected login is reported") {
  PoolOptions options = patient(1);
  options.url += "&user=nobody_we_know";
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    const auto error = co_await error_of<Unavailable>(db.execute("select 1"));
    CHECK(std::string(error.value().what()).find("nobody_we_know") != std::string::npos);
  });
}

TEST_CASE("a server that is silent, closes or sends garbage is unavailable") {
  struct Case {
    const char* why;
    std::string greeting;
    bool closes;
  };
  const Case cases[] = {
      {"is silent", "", false}, {"closes", "", true}, {"speaks HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n", true}};
  for (const auto& [why, greeting, closes] : cases) {
    CAPTURE(why);
    Runtime runtime(test_options());
    runtime.block_on([&]() -> Task<> {
      TcpListener listener = TcpListener::bind(Address::parse("127.0.0.1:0").value()).value();
      PoolOptions options = of(listener.local_address());
      options.connect_timeout = 500ms;
      const auto server = spawn(pretend, std::move(listener), greeting, closes);
      const Pool db(std::move(options));
      co_await error_of<Unavailable>(db.execute("select 1"));
      server.cancel();
    });
  }
}

TEST_SUITE_END();

}  // namespace volt::pg
