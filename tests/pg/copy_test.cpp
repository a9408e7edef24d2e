// SPDX-License-Identifier: MIT

#include "pg/copy.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "runtime/spawn.h"
#include "tests/pg/database.h"
#include "tests/support/waiting.h"

namespace volt::pg {
namespace {

using namespace test;
using namespace std::string_literals;

struct Item {
  std::int64_t id = 0;
  std::string name;
  std::optional<double> price;
  bool sold = false;

  friend bool operator==(const Item&, const Item&) = default;
};

const std::vector<Item> kSomeItems = {
    {1, "pen", 1.5, false},
    {2, "", std::nullopt, true},
    {3, "a tab\t, a line\nand \\N, \\., \b\f\r\v", -0.1, true},
    {std::numeric_limits<std::int64_t>::min(), "\\N", 1e300, false},
};

Task<> make_item_table(const Transaction& transaction) {
  co_await transaction.execute(
      "create temporary table item (id bigint primary key, name text not null, price float8, sold boolean) on commit "
      "drop");
}

constexpr std::string_view kCopyIn = "copy item from stdin";
constexpr std::string_view kCopyOut = "copy (select * from item order by name) to stdout";

Task<> copy_rows(CopyIn& copy, int count) {
  for (int i = 0; i != count; ++i) co_await copy.row(i, "a name of some length, so that many rows are much data", 1, 1);
}

Task<std::vector<Item>> all_of(CopyOut copy) {
  std::vector<Item> items;
  for (;;) {
    std::optional<Item> item = co_await copy.next<Item>();
    if (!item) break;
    items.push_back(*std::move(item));
  }
  co_return items;
}

// The rows that come at once fill the buffers of the server, which otherwise sends nothing before its first pause.
constexpr std::string_view kEndlessCopy =
    "copy (select i, case when i > 5000 then pg_sleep(600) end from generate_series(1, 5100) i) to stdout";
constexpr const char* kEndlessCopies =
    "select count(*) from pg_stat_activity where query like 'copy (select i, case%' and state = 'active'";

Task<> read_all(CopyOut copy) {
  for (;;) {
    const std::optional<std::string_view> part = co_await copy.read();
    if (!part) co_return;
  }
}

Task<> copy_endlessly(Pool db) {
  const Transaction transaction = co_await db.transaction();
  CopyOut copy = co_await transaction.copy_out(kEndlessCopy);
  co_await read_all(std::move(copy));
}

// Whether a transaction on the only connection of the pool works, and whether it is the process `pid` of the server.
Task<bool> still_uses(Pool db, int pid) {
  const int now = co_await backend(db);
  co_return now == pid;
}

std::string written(auto&&... values) {
  std::string text;
  CopyRowWriter writer(text);
  (writer.add(values), ...);
  writer.end();
  return text;
}

}  // namespace

TEST_SUITE_BEGIN("pg/copy");

TEST_CASE("values are written in COPY's text format") {
  CHECK(written(1, -2.5, true, "a", nullptr) == "1\t-2.5\tt\ta\t\\N\n");
  CHECK(written(""s, std::optional<int>(), std::optional("x"s)) == "\t\\N\tx\n");
  CHECK(written("\\N"s) == "\\\\N\n");
  CHECK(written("a\tb\nc\rd"s) == "a\\tb\\nc\\rd\n");
  CHECK(written(std::vector<std::byte>{std::byte{0}, std::byte{255}}) == "\\\\x00ff\n");
  CHECK(written(std::vector<int>{1, 2}, std::vector<std::string>{"a,\"", "\\"}) ==
        "{1,2}\t{\"a,\\\\\"\",\"\\\\\\\\\"}\n");
  CHECK(written(std::numeric_limits<double>::infinity(), std::numeric_limits<float>::quiet_NaN()) == "Infinity\tNaN\n");
  std::string text = "before\n";
  {
    CopyRowWriter writer(text);
    writer.add(7);
    CHECK_THROWS_AS(writer.add("a\0b"s), std::invalid_argument);
  }
  CHECK(text == "before\n");  // the row was removed
}

TEST_CASE("rows are copied into a table and out of it, and the connection is used again") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const int pid = co_await backend(db);
    Transaction transaction = co_await db.transaction();
    co_await make_item_table(transaction);
    CopyIn in = co_await transaction.copy_in(kCopyIn);
    for (const Item& item : kSomeItems) co_await in.row(item);
    const std::uint64_t rows = co_await in.finish();
    CHECK(rows == 4);
    const auto again = co_await error_of<Error>(in.finish());
    CHECK(again);
    std::vector<Item> stored = co_await transaction.query<Item>("select * from item");
    CHECK(stored == kSomeItems);
    CopyOut out = co_await transaction.copy_out("copy item to stdout");
    const std::vector<Item> copied = co_await all_of(std::move(out));
    CHECK(copied == kSomeItems);
    co_await transaction.commit();
    const bool same = co_await still_uses(db, pid);
    CHECK(same);
  });
}

TEST_CASE("arrays and bytes arrive as they were sent") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const Transaction transaction = co_await db.transaction();
    co_await transaction.execute("create temporary table part (tags text[], sizes int[], data bytea, big numeric)");
    CopyIn in = co_await transaction.copy_in("copy part from stdin");
    const std::vector<std::string> tags = {"a,b", "\"quoted\"", "back\\slash", "tab\t", "{}"};
    const std::vector<int> sizes = {1, -2};
    const std::vector<std::byte> data = {std::byte{0}, std::byte{92}, std::byte{255}};
    co_await in.row(tags, sizes, data, 7);  // an int becomes a numeric
    co_await in.finish();
    const auto equal = co_await transaction.find<bool>(
        "select tags = $1 and sizes = $2 and data = $3 and big = 7 from part", tags, sizes, data);
    CHECK(equal == true);
    CopyOut out = co_await transaction.copy_out("copy (select data from part) to stdout");
    const auto bytes = co_await out.next<std::vector<std::byte>>();
    CHECK(bytes == data);
  });
}

TEST_CASE("bytes of any format pass, in pieces that end anywhere") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const Transaction transaction = co_await db.transaction();
    co_await make_item_table(transaction);
    CopyIn in = co_await transaction.copy_in("copy item from stdin (format csv)");
    const std::string csv = "1,\"pen, blue\",1.5,t\n2,\"two\nlines\",,f\n";
    for (const char& c : csv) co_await in.write(std::string_view(&c, 1));
    const std::uint64_t rows = co_await in.finish();
    CHECK(rows == 2);
    CopyOut out = co_await transaction.copy_out("copy item to stdout (format csv)");
    std::string copied;
    for (;;) {
      const std::optional<std::string_view> part = co_await out.read();
      if (!part) break;
      copied += *part;
    }
    CHECK(copied == csv);
  });
}

TEST_CASE("megabytes pass both ways, while little of them is in memory") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const Transaction transaction = co_await db.transaction();
    co_await transaction.execute("create temporary table big (id int, name text, a int, b int)");
    CopyIn in = co_await transaction.copy_in("copy big from stdin");
    co_await copy_rows(in, 100'000);
    const std::uint64_t rows = co_await in.finish();
    CHECK(rows == 100'000);
    CopyOut out = co_await transaction.copy_out("copy (select * from big order by id) to stdout");
    std::size_t bytes = 0;
    std::size_t largest = 0;
    for (;;) {
      const std::optional<std::string_view> part = co_await out.read();
      if (!part) break;
      bytes += part->size();
      largest = std::max(largest, part->size());
    }
    CHECK(bytes > 5'000'000);
    CHECK(largest < 80 * 1024);
  });
}

TEST_CASE("a row that the server refuses fails the stream at its end, and the connection is used again") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const int pid = co_await backend(db);
    {
      const Transaction transaction = co_await db.transaction();
      co_await make_item_table(transaction);
      CopyIn in = co_await transaction.copy_in(kCopyIn);
      co_await in.write("not a number\tx\t1\tt\n");
      co_await in.write(std::string(1'000'000, '7'));  // after the error: discarded
      const auto refused = co_await error_of<ServerError>(in.finish());
      REQUIRE(refused);
      CHECK(refused->sqlstate() == "22P02");
      const auto aborted = co_await error_of<ServerError>(transaction.execute("select 1"));
      CHECK(aborted.value().sqlstate() == "25P02");
    }
    const bool same = co_await still_uses(db, pid);
    CHECK(same);
  });
}

TEST_CASE("an error in the middle of a stream from the server comes after the rows before it") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const int pid = co_await backend(db);
    {
      const Transaction transaction = co_await db.transaction();
      CopyOut out =
          co_await transaction.copy_out("copy (select 10 / (5000 - i) from generate_series(1, 9999) i) to stdout");
      int rows = 0;
      std::string state;
      try {
        for (;;) {
          const auto row = co_await out.next<int>();
          if (!row) break;
          ++rows;
        }
      } catch (const ServerError& error) {
        state = error.sqlstate();
      }
      CHECK(rows == 4999);
      CHECK(state == "22012");
    }
    const bool same = co_await still_uses(db, pid);
    CHECK(same);
  });
}

TEST_CASE("a stream that is left before its end closes the connection, and nothing of it is kept") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    co_await db.execute("drop table if exists left_early");
    co_await db.execute("create table left_early (id int, name text, a int, b int)");
    const int pid = co_await backend(db);
    {
      const Transaction transaction = co_await db.transaction();
      {
        CopyIn in = co_await transaction.copy_in("copy left_early from stdin");
        co_await copy_rows(in, 5000);
      }
      const auto lost = co_await error_of<Error>(transaction.execute("select 1"));
      CHECK(lost);
    }
    const int second = co_await backend(db);
    CHECK(second != pid);
    {
      const Transaction transaction = co_await db.transaction();
      CopyOut out = co_await transaction.copy_out("copy (select * from generate_series(1, 1000000)) to stdout");
      const auto row = co_await out.next<int>();
      CHECK(row == 1);
    }
    const int third = co_await backend(db);
    CHECK(third != second);
    const auto kept = co_await db.find<int>("select count(*)::int from left_early");
    CHECK(kept == 0);
    co_await db.execute("drop table left_early");
  });
}

TEST_CASE("a transaction takes no queries and no commit before its stream is at the end") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    Transaction transaction = co_await db.transaction();
    co_await make_item_table(transaction);
    CopyIn in = co_await transaction.copy_in(kCopyIn);
    const auto query = co_await error_of<Error>(transaction.execute("select 1"));
    REQUIRE(query);
    CHECK(query->what() == "a COPY of the transaction is in progress: await its end first"s);
    const auto second = co_await error_of<Error>(transaction.copy_out(kCopyOut));
    CHECK(second);
    co_await in.row(kSomeItems[0]);  // the stream goes on
    const std::uint64_t rows = co_await in.finish();
    CHECK(rows == 1);
    CopyIn unfinished = co_await transaction.copy_in(kCopyIn);
    const auto commit = co_await error_of<Error>(transaction.commit());
    CHECK(commit);
    const auto lost = co_await error_of<ConnectionLost>(unfinished.finish());
    CHECK(lost);
    const auto answer = co_await db.find<int>("select 1");
    CHECK(answer == 1);
  });
}

TEST_CASE("a statement that begins no such COPY is refused") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    struct Case {
      const char* why;
      std::string statement;
      const char* message;
    };
    const Case cases[] = {
        {"no COPY", "select 1", "the statement begins no COPY: write `copy .. from stdin`, or `to stdout`"},
        {"the other direction", "copy (select 1) to stdout", "copy_in() needs `copy .. from stdin`, not `to stdout`"},
        {"two statements", "copy item from stdin; select 1",
         "cannot insert multiple commands into a prepared statement"},
        {"a syntax error", "copi item from stdin", "syntax error at or near \"copi\""},
    };
    for (const auto& [why, statement, message] : cases) {
      const Transaction transaction = co_await db.transaction();
      try {
        const CopyIn copy = co_await transaction.copy_in(statement);
        FAIL_CHECK(why);
      } catch (const Error& error) {
        CHECK_MESSAGE(error.what() == std::string(message), why);
      }
    }
    const auto answer = co_await db.find<int>("select 1");
    CHECK(answer == 1);
  });
}

TEST_CASE("a stream fails when its connection is lost") {
  with_pool(patient(2), [](Pool& db) -> Task<> {
    const Transaction transaction = co_await db.transaction();
    const auto pid = co_await transaction.find<int>("select pg_backend_pid()");
    CopyOut out = co_await transaction.copy_out(kEndlessCopy);
    co_await db.execute("select pg_terminate_backend($1)", *pid);
    const auto lost = co_await error_of<Error>(read_all(std::move(out)));
    CHECK(lost);
  });
}

TEST_CASE("a server that sends nothing for query_timeout ends the stream, and is told to stop") {
  PoolOptions options = patient(1);
  options.query_timeout = 300ms;
  with_pool(std::move(options), [](Pool& db) -> Task<> {
    const auto late = co_await error_of<QueryTimeout>(copy_endlessly(db));
    CHECK(late);
    const bool stopped = co_await count_becomes(Pool(patient(1)), kEndlessCopies, 0);
    CHECK(stopped);
  });
}

TEST_CASE("a task that is cancelled in the middle of a stream leaves no confused connection, and no query that runs") {
  with_pool(patient(1), [](Pool db) -> Task<> {
    JoinHandle<void> handle = spawn(copy_endlessly, db);
    const Pool other(patient(1));
    const bool begun = co_await count_becomes(other, kEndlessCopies, 1);
    CHECK(begun);
    handle.cancel();
    const volt::test::Outcome outcome = co_await volt::test::outcome_of(std::move(handle));
    CHECK(outcome == volt::test::Outcome::cancelled);
    const bool stopped = co_await count_becomes(other, kEndlessCopies, 0);
    CHECK(stopped);
    const auto answer = co_await db.find<int>("select 1");
    CHECK(answer == 1);
  });
}

TEST_SUITE_END();

}  // namespace volt::pg
