// SPDX-License-Identifier: MIT

// Tests of values that go to the server and back. The first result of a statement is text, later ones may be binary.
#include <cmath>
#include <limits>

#include "tests/pg/database.h"

namespace volt::pg {
namespace {

using namespace test;

constexpr int kRounds = 3;

struct All {
  bool fact;
  short small;
  int whole;
  std::int64_t large;
  float narrow;
  double wide;
  std::string text;
  std::vector<std::byte> bytes;
  std::optional<int> missing;
  std::optional<std::string> there;
  bool operator==(const All&) const = default;
};

enum class Mood { happy, tired };

struct Person {
  Mood mood;
  Mood as_text;
  std::optional<Mood> none;
};

struct Texts {
  std::string time;
  std::string uuid;
  std::string amount;
  std::string json;
  std::string list;
  double amount_as_double;
};

}  // namespace

TEST_SUITE_BEGIN("pg/types");

TEST_CASE("values survive a round trip through the server") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const All sent{.fact = true,
                   .small = std::numeric_limits<short>::min(),
                   .whole = std::numeric_limits<int>::max(),
                   .large = std::numeric_limits<std::int64_t>::min(),
                   .narrow = 0.1F,
                   .wide = -1e300,
                   .text = "Grüße '\"\\ \t\n",
                   .bytes = {std::byte{0}, std::byte{0xab}, std::byte{0xff}},
                   .missing = {},
                   .there = ""};
    for (int round = 0; round != kRounds; ++round) {
      const std::vector<All> got = co_await db.query<All>(
          "select $1, $2, $3, $4, $5, $6, $7::text, $8, $9, $10::varchar", sent.fact, sent.small, sent.whole,
          sent.large, sent.narrow, sent.wide, sent.text, sent.bytes, sent.missing, sent.there);
      REQUIRE(got.size() == 1);
      CHECK(got[0] == sent);
    }
  });
}

TEST_CASE("an enum is the name of its enumerator, in columns of text and of an enum type") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    co_await db.execute("drop type if exists mood cascade");
    co_await db.execute("create type mood as enum ('happy', 'tired', 'angry')");
    co_await db.execute("create temporary table person (mood mood, as_text text)");
    co_await db.execute("insert into person values ($1, $2)", Mood::tired, Mood::happy);
    const std::vector<Mood> moods = {Mood::happy, Mood::tired};
    for (int round = 0; round != kRounds; ++round) {
      const auto found =
          co_await db.find<Person>("select mood, as_text, $1::mood from person where mood = $2 and as_text = any($3)",
                                   std::optional<Mood>(), Mood::tired, moods);
      REQUIRE(found);
      CHECK(found->mood == Mood::tired);
      CHECK(found->as_text == Mood::happy);
      CHECK(!found->none);
    }
    const auto unknown = co_await error_of<DecodeError>(db.find<Mood>("select 'angry'::mood as mood"));
    CHECK(unknown->what() == std::string("column mood is 'angry', which is none of happy, tired"));
    Transaction transaction = co_await db.transaction();
    CopyIn in = co_await transaction.copy_in("copy person from stdin");
    co_await in.row(Mood::happy, Mood::tired);
    co_await in.finish();
    CopyOut out = co_await transaction.copy_out("copy (select mood from person order by mood) to stdout");
    const auto first = co_await out.next<Mood>();
    CHECK(first == Mood::happy);
    const auto second = co_await out.next<Mood>();
    CHECK(second == Mood::tired);
    const auto end = co_await out.next<Mood>();
    CHECK(!end);
    co_await transaction.commit();
    co_await db.execute("drop type mood cascade");
  });
}

TEST_CASE("columns of other types can be read as text") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    for (int round = 0; round != kRounds; ++round) {
      const std::vector<Texts> got = co_await db.query<Texts>(
          "select $1::timestamptz, $2::uuid, $3::numeric, $4::jsonb, array[1, 2], $3::numeric",
          "2026-11-22 03:04:05+00", "00000000-0000-0000-0000-00000000000a", "12345678901234567890.5", R"({"a":[1]})");
      REQUIRE(got.size() == 1);
      CHECK(got[0].time == "2026-11-22 03:04:05+00");
      CHECK(got[0].uuid == "00000000-0000-0000-0000-00000000000a");
      CHECK(got[0].amount == "12345678901234567890.5");
      CHECK(got[0].json == R"({"a": [1]})");
      CHECK(got[0].list == "{1,2}");
      CHECK(got[0].amount_as_double == 12345678901234567890.5);
    }
  });
}

TEST_CASE("NaN and infinity survive a round trip") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    for (int round = 0; round != kRounds; ++round) {
      const auto nan = co_await db.find<double>("select $1", std::nan(""));
      CHECK(std::isnan(nan.value()));
      const auto infinity = co_await db.find<double>("select $1", -std::numeric_limits<double>::infinity());
      CHECK(infinity.value() == -std::numeric_limits<double>::infinity());
    }
  });
}

TEST_CASE("arrays can be parameters") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const std::vector<int> ids = {3, 1, 2};
    const auto sum = co_await db.find<std::int64_t>("select sum(i) from unnest($1) as t(i)", ids);
    CHECK(sum == 6);
    const std::vector<std::string> names = {"a", "", "{\"c\"}"};
    const std::vector<std::string> back = co_await db.query<std::string>("select unnest($1)", names);
    CHECK(back == names);
    const std::vector<double> none;
    const auto length = co_await db.find<int>("select cardinality($1)", none);
    CHECK(length == 0);
    const std::array facts = {true, false};
    const auto all = co_await db.find<bool>("select true = all($1)", facts);
    CHECK(all == false);
  });
}

TEST_CASE("a text with other parameter types is another statement") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    for (int round = 0; round != kRounds; ++round) {
      const auto number = co_await db.find<std::string>("select $1", 7);
      const auto text = co_await db.find<std::string>("select $1", "seven");
      const auto large = co_await db.find<std::int64_t>("select $1", std::int64_t{1} << 40);
      CHECK(number == "7");
      CHECK(text == "seven");
      CHECK(large == std::int64_t{1} << 40);
    }
  });
}

TEST_CASE("a row that does not fit is a DecodeError, and the connection stays usable") {
  with_pool(patient(1), [](Pool& db) -> Task<> {
    const auto columns = co_await error_of<DecodeError>(db.query<All>("select 1"));
    CHECK(std::string(columns.value().what()) == "a row of 1 columns cannot become a value of 10");
    const auto null = co_await error_of<DecodeError>(db.query<int>("select null::int as missing"));
    CHECK(std::string(null.value().what()) == "column missing is NULL: read it as a std::optional");
    const auto none = co_await db.find<int>("select 1 where false");
    CHECK(none == std::nullopt);
  });
}

TEST_SUITE_END();

}  // namespace volt::pg
