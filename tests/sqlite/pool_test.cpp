// SPDX-License-Identifier: MIT

#include "sqlite/pool.h"

#include <fstream>
#include <limits>
#include <string_view>
#include <vector>

#include "runtime/concurrent.h"
#include "runtime/scope.h"
#include "runtime/time.h"
#include "tests/sqlite/database.h"
#include "tests/support/waiting.h"

namespace volt::sqlite {
namespace {

using namespace test;
using namespace std::literals;

struct Item {
  std::int64_t id = 0;
  std::string name;
  std::optional<double> price;
  bool operator==(const Item&) const = default;
};

enum class State { draft, sent = 7, nameless = 1000 };

struct Letter {
  std::int64_t id = 0;
  State state = State::draft;
  std::optional<State> before;
  bool operator==(const Letter&) const = default;
};

Task<> add_item(Pool db, int id) { co_await db.execute("insert into item values ($1, 'item ' || $1, 1)", id); }

Task<> find_no_connection(Pool db) {
  const auto error = co_await error_of<Unavailable>(db.execute("create table a (id int)"));
  CHECK(error);
}

Task<> count_up(Pool db, int times) {
  for (int i = 0; i != times; ++i) {
    Transaction transaction = co_await db.transaction();
    const auto n = co_await transaction.find<int>("select n from counter");
    co_await transaction.execute("update counter set n = $1", *n + 1);
    co_await transaction.commit();
  }
}

Task<> see_it_grow(Pool db, int times) {
  int last = 0;
  for (int i = 0; i != times; ++i) {
    const auto n = co_await db.find<int>("select n from counter");
    CHECK(n.value() >= last);
    last = *n;
  }
}

}  // namespace

TEST_SUITE_BEGIN("sqlite/pool");

TEST_CASE("rows become structs, and single columns become values") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    co_await db.script(kItems);
    const auto added = co_await db.execute("insert into item values ($1, $2, $3), ($4, $5, $6)", 1, "pen", 2.5, 2,
                                           std::string("ink"), std::optional<double>());
    CHECK(added == 2);
    const auto all = co_await db.query<Item>("select id, name, price from item order by id");
    CHECK(all == std::vector<Item>{{1, "pen", 2.5}, {2, "ink", std::nullopt}});
    const auto none = co_await db.find<Item>("select id, name, price from item where id = $1", 7);
    CHECK(!none);
    const auto made = co_await db.find<Item>("insert into item values (3, 'nib', 1) returning id, name, price");
    CHECK(made == Item{3, "nib", 1.0});
    const auto changed = co_await db.execute("update item set price = price * 2 where price is not null");
    CHECK(changed == 2);
    const auto in_with = co_await db.execute("with n as (select 9 as i) insert into item select i, 'cap', 0 from n");
    CHECK(in_with == 1);  // begins as a query that reads
    const auto count = co_await db.find<int>("select count(*) from item");
    CHECK(count == 4);
    const auto altered = co_await db.execute("create index item_by_price on item (price)");
    CHECK(altered == 0);
  });
}

TEST_CASE("each type is passed and returned") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    using Bytes = std::vector<std::byte>;
    const Bytes bytes = {std::byte{0}, std::byte{255}};
    constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
    struct Row {
      bool yes;
      std::int64_t least;
      unsigned number;
      float real;
      std::string text;
      std::string empty;
      Bytes bytes;
      Bytes no_bytes;
      std::optional<int> null;
    };
    const auto row = co_await db.find<Row>("select $1, $2, $3, $4, $5, $6, $7, $8, $9", true, kLeast, 4'000'000'000U,
                                           0.5F, "a\0b"sv, "", bytes, Bytes(), nullptr);
    REQUIRE(row);
    CHECK(row->yes);
    CHECK(row->least == kLeast);
    CHECK(row->number == 4'000'000'000U);
    CHECK(row->real == 0.5F);
    CHECK(row->text == "a\0b"sv);
    CHECK(row->empty.empty());
    CHECK(row->bytes == bytes);
    CHECK(row->no_bytes.empty());
    CHECK(!row->null);
    const auto digits = co_await db.find<std::string>("select 42");
    CHECK(digits == "42");
  });
}

TEST_CASE("an enum is the name of its enumerator, in rows and as a parameter") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    co_await db.script("create table letter (id integer, state text not null, before text) strict");
    constexpr auto kInsert = "insert into letter values ($1, $2, $3)";
    co_await db.execute(kInsert, 1, State::sent, State::draft);
    co_await db.execute(kInsert, 2, State::draft, std::optional<State>());
    const auto texts = co_await db.query<std::string>("select state from letter order by id");
    CHECK(texts == std::vector<std::string>{"sent", "draft"});
    const auto all = co_await db.query<Letter>("select id, state, before from letter order by id");
    CHECK(all == std::vector<Letter>{{1, State::sent, State::draft}, {2, State::draft, std::nullopt}});
    const auto sent = co_await db.find<int>("select id from letter where state = $1", State::sent);
    CHECK(sent == 1);
    const auto alone = co_await db.query<State>("select state from letter order by id");
    CHECK(alone == std::vector{State::sent, State::draft});
  });
}

TEST_CASE("a text that is no enumerator is an error, and so is an enumerator without a name") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    const auto unknown = co_await error_of<DecodeError>(db.find<State>("select 'Sent' as state"));
    CHECK(unknown->what() == "column state is 'Sent', which is none of draft, sent"sv);
    const auto large = co_await error_of<DecodeError>(db.find<State>("select printf('%.*c', 50, 'x') as state"));
    CHECK(large->what() == "column state is '" + std::string(40, 'x') + "..', which is none of draft, sent");
    const auto null = co_await error_of<DecodeError>(db.find<State>("select null as state"));
    CHECK(null->what() == "column state is NULL: read it as a std::optional"sv);
    CHECK_THROWS_WITH_AS(static_cast<void>(Query("select $1", State::nameless)),
                         "a parameter of an enum has the value 1000, which has no name", std::invalid_argument);
  });
}

TEST_CASE("a prepared statement sees a change of the schema") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    co_await db.script("create table grown (id integer); insert into grown values (1)");
    const Rows before = co_await db.rows("select * from grown");
    CHECK(before.columns() == 1);
    co_await db.execute("alter table grown add column name text default 'x'");
    const Rows after = co_await db.rows("select * from grown");
    REQUIRE(after.columns() == 2);
    CHECK(after.at(0, 1).bytes == "x");
  });
}

TEST_CASE("placeholders have numbers or stand for the values in turn") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    const auto by_number = co_await db.find<int>("select $2 * 10 + $1", 1, 2);
    CHECK(by_number == 21);
    const auto by_question_mark = co_await db.find<int>("select ?2 * 10 + ?1", 1, 2);
    CHECK(by_question_mark == 21);
    const auto in_turn = co_await db.find<int>("select ? * 10 + ?", 1, 2);
    CHECK(in_turn == 12);
    const auto named = co_await error_of<Error>(db.find<int>("select :name", 1));
    CHECK(std::string_view(named->what()).starts_with("the placeholder :name has a name"));
    const auto too_few = co_await error_of<Error>(db.find<int>("select $1 + $2", 1));
    CHECK(too_few->what() == "a query has 2 placeholders, but 1 values were passed"sv);
  });
}

TEST_CASE("a value that does not fit its C++ type is an error that names the column") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    const auto null = co_await error_of<DecodeError>(db.find<int>("select null as missing"));
    CHECK(null->what() == "column missing is NULL: read it as a std::optional"sv);
    const auto large = co_await error_of<DecodeError>(db.find<std::int8_t>("select 128 as n"));
    CHECK(large->what() == "column n is not an integer that fits the C++ type"sv);
    const auto text = co_await error_of<DecodeError>(db.find<double>("select 'a' as n"));
    CHECK(text->what() == "column n is not a number"sv);
    const auto blob = co_await error_of<DecodeError>(db.find<std::string>("select x'00' as n"));
    CHECK(blob->what() == "column n is a blob: read it as a std::vector<std::byte>"sv);
    const auto columns = co_await error_of<DecodeError>(db.find<int>("select 1, 2"));
    CHECK(columns->what() == "a row of 2 columns cannot become a value of 1"sv);
  });
}

TEST_CASE("each constraint has an exception of its own") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    co_await db.script(kItems);
    co_await db.execute("insert into item values (1, 'pen', 1)");
    const auto unique = co_await error_of<UniqueViolation>(db.execute("insert into item values (2, 'pen', 1)"));
    CHECK(unique->constraint() == "item.name");
    const auto key = co_await error_of<UniqueViolation>(db.execute("insert into item values (1, 'ink', 1)"));
    CHECK(key->constraint() == "item.id");
    const auto null = co_await error_of<NotNullViolation>(db.execute("insert into item values (2, null, 1)"));
    CHECK(null->constraint() == "item.name");
    co_await error_of<CheckViolation>(db.execute("insert into item values (2, 'ink', -1)"));
    co_await error_of<ForeignKeyViolation>(db.execute("insert into part values (1, 7)"));
    const auto syntax = co_await error_of<DatabaseError>(db.execute("selct 1"));
    CHECK(syntax->what() == "near \"selct\": syntax error"sv);
    co_await error_of<DatabaseError>(db.find<int>("select n from missing"));
  });
}

TEST_CASE("statements that would change a shared connection are refused") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    co_await db.script(kItems);
    const auto begin = co_await error_of<Error>(db.execute("begin"));
    CHECK(begin->what() == "a query began a transaction: use Pool::transaction() for it"sv);
    const auto two = co_await error_of<Error>(db.execute("select 1; select 2"));
    CHECK(two->what() == "a query has more than one statement: send each alone, or use script()"sv);
    co_await error_of<Error>(db.execute(" -- nothing"));
    const auto after = co_await db.execute("insert into item values (1, 'pen', 1);");
    CHECK(after == 1);
  });
}

TEST_CASE("a batch runs its queries in one call, and each is a transaction of its own") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    co_await db.script(kItems);
    Batch failing;
    failing.add("insert into item values (1, 'pen', 1)");
    failing.add("insert into item values (1, 'ink', 1)");
    failing.add("insert into item values ($1, $2, 1)", 3, "nib");
    co_await error_of<UniqueViolation>(db.send(std::move(failing)));
    Batch batch;
    for (const int id : {3, 2, 1}) batch.add("select name from item where id = $1", id);
    const std::vector<Rows> rows = co_await db.send(std::move(batch));
    CHECK(rows.at(0).first<std::string>() == "nib");
    CHECK(rows.at(1).empty());
    CHECK(rows.at(2).first<std::string>() == "pen");
    const std::vector<Rows> none = co_await db.send(Batch());
    CHECK(none.empty());
  });
}

TEST_CASE("a query of a batch that begins a transaction does not remove the time limit of the next one") {
  with_file(
      [](Pool db, PoolOptions) -> Task<> {
        Batch batch;
        batch.add("begin");
        batch.add(kEndless);
        const auto error = co_await error_of<Error>(db.send(std::move(batch)));
        CHECK(error->what() == "a query began a transaction: use Pool::transaction() for it"sv);
      },
      [](PoolOptions& options) { options.query_timeout = 2s; });
}

TEST_CASE("a database in memory has one connection, and behaves like a file") {
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    const Pool db(patient(":memory:"));
    co_await db.script(kItems);
    co_await with_scope([&](Scope& scope) -> Task<> {
      for (int id = 0; id != 50; ++id) scope.spawn(add_item, db, id);
      co_return;
    });
    const auto count = co_await count_of(db, "select count(*) from item");
    CHECK(count == 50);
    CHECK(db.state().connections == 1);
    const TransactionOptions options{.read_only = true};
    const Transaction reading = co_await db.transaction(options);
    co_await error_of<Error>(reading.execute("delete from item"));
  });
}

TEST_CASE("a query that takes too long is interrupted, and the connection stays usable") {
  with_file(
      [](Pool db, PoolOptions) -> Task<> {
        co_await error_of<QueryTimeout>(db.rows(kEndless));
        const auto one = co_await db.find<int>("select 1");
        CHECK(one == 1);
        const TransactionOptions longer{.query_timeout = 120s};
        Transaction transaction = co_await db.transaction(longer);
        co_await transaction.script(kItems);
        co_await transaction.commit();
      },
      [](PoolOptions& options) { options.query_timeout = 2s; });
}

TEST_CASE("a task waits for the writer for a bounded time, behind a bounded number of others") {
  with_file(
      [](Pool db, PoolOptions) -> Task<> {
        const Transaction holding = co_await db.transaction();
        const auto late = co_await error_of<Unavailable>(db.execute("create table a (id int)"));
        CHECK(late->what() == "no connection was free in time"sv);
        co_await with_scope([&](Scope& scope) -> Task<> {
          for (int i = 0; i != 3; ++i) scope.spawn(find_no_connection, db);  // the third finds the queue full
          co_return;
        });
      },
      [](PoolOptions& options) {
        options.acquire_timeout = 50ms;
        options.waiting_max = 2;
      });
}

TEST_CASE("a lock of another pool is waited for, for a bounded time") {
  with_file(
      [](Pool db, PoolOptions options) -> Task<> {
        co_await db.script(kItems);
        const Pool other(options);
        {
          const Transaction holding = co_await other.transaction();
          const auto busy = co_await error_of<Busy>(db.execute("insert into item values (1, 'pen', 1)"));
          CHECK(std::string_view(busy->what()).starts_with("another process kept the database locked"));
        }
        const auto added = co_await db.execute("insert into item values (1, 'pen', 1)");
        CHECK(added == 1);
      },
      [](PoolOptions& options) { options.busy_timeout = 2s; });
  with_file([](Pool db, PoolOptions options) -> Task<> {
    co_await db.script(kItems);
    const Pool other(options);
    const auto hold = [&other]() -> Task<> {
      Transaction transaction = co_await other.transaction();
      co_await transaction.execute("insert into item values (1, 'pen', 1)");
      co_await sleep_for(50ms);
      co_await transaction.commit();
    };
    const auto add = [&db]() -> Task<> { co_await db.execute("insert into item values (2, 'ink', 1)"); };
    co_await all(hold, add);
    const auto count = co_await count_of(other, "select count(*) from item");
    CHECK(count == 2);
  });
}

TEST_CASE("a file that cannot be opened, and one that is no database, are named") {
  CHECK_THROWS_WITH_AS(Pool({.path = "/nowhere/a.db"}), "/nowhere/a.db: unable to open database file", Unavailable);
  CHECK_THROWS_AS(Pool({.path = ""}), std::invalid_argument);
  const volt::test::Directory folder;
  const std::string path = (folder.path() / "text.db").string();
  std::ofstream(path) << std::string(4096, 'x');
  CHECK_THROWS_WITH_AS(Pool({.path = path}), (path + ": file is not a database").c_str(), Corrupt);
}

TEST_CASE("a file that becomes damaged is reported as such") {
  with_file([](Pool db, PoolOptions options) -> Task<> {
    co_await db.script("create table filled (text text); insert into filled values (hex(randomblob(200000)))");
    co_await db.execute("pragma wal_checkpoint(truncate)");
    {
      std::fstream file(options.path, std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(100);
      file << std::string(60'000, 'x');
    }
    bool corrupt = false;
    try {
      const Pool other(options);
      static_cast<void>(co_await other.rows("select text from filled"));
    } catch (const Corrupt&) {
      corrupt = true;
    }
    CHECK(corrupt);
  });
}

TEST_CASE("many tasks read and write at once, and no change is lost") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    co_await db.script("create table counter (n integer not null); insert into counter values (0)");
    co_await with_scope([&](Scope& scope) -> Task<> {
      for (int i = 0; i != 4; ++i) scope.spawn(count_up, db, 20);
      for (int i = 0; i != 8; ++i) scope.spawn(see_it_grow, db, 20);
      co_return;
    });
    const auto total = co_await count_of(db, "select n from counter");
    CHECK(total == 80);
    CHECK(db.state().connections <= 5);
    CHECK(db.state().in_use == 0);
    CHECK(db.state().waiting == 0);
  });
}

TEST_SUITE_END();

}  // namespace volt::sqlite
