// SPDX-License-Identifier: MIT

#include "migrations/migrations.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace volt::migrations {
namespace {

Applied row_of(const Migration& migration) { return {migration.number, migration.name, migration.checksum}; }

// Returns the text of the error; empty if there is none.
template <class F>
std::string error_of(F function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_SUITE_BEGIN("migrations/migrations");

TEST_CASE("names have a number of four digits or more, and an order") {
  const auto sorted = from_files({{"00010_ten.sql", ""}, {"0002_b-1.2.sql", ""}, {"20261124130000_date.sql", ""}});
  REQUIRE(sorted.size() == 3);
  CHECK(sorted[0].number == 2);
  CHECK(sorted[1].number == 10);
  CHECK(sorted[2].number == 20261124130000);
  CHECK(sorted[0].checksum == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  for (const std::string name : {"1_a.sql", "0001.sql", "0001_.sql", "0001-a.sql", "a.sql", "0001_a b.sql",
                                 "0001_a.txt", "0001_ä.sql", "0000000000000000001_a.sql"}) {
    CAPTURE(name);
    const std::string error = error_of([&] { static_cast<void>(from_files({{name, ""}})); });
    CHECK(error == "the name of the migration " + name +
                       " must be four digits or more, '_' and a name, such as 0001_create_items.sql");
  }
  CHECK(error_of([] {
          static_cast<void>(from_files({{"0001_a.sql", ""}, {"00001_b.sql", ""}}));
        }).starts_with("the migrations 0001_a.sql and 00001_b.sql have the same number"));
}

TEST_CASE("the first file that was not executed is next, unless files and table disagree") {
  const auto files = from_files({{"0001_a.sql", "a"}, {"0002_b.sql", "b"}, {"0004_d.sql", "d"}});
  const Applied a = row_of(files[0]);
  const Applied b = row_of(files[1]);
  const Applied d = row_of(files[2]);
  const struct {
    std::string why;
    std::vector<Applied> applied;
    Options options;
    std::string next;   // empty: none
    std::string error;  // the beginning of the error
  } cases[] = {
      {"nothing was executed", {}, {}, "0001_a.sql", ""},
      {"one was", {a}, {}, "0002_b.sql", ""},
      {"all were", {a, b, d}, {}, "", ""},
      {"one must not be executed", {a, b}, {.apply = false}, "", "the migration 0004_d.sql has not been executed"},
      {"all were, and nothing may be", {a, b, d}, {.apply = false}, "", ""},
      {"a file was added in between", {a, d}, {}, "", "the migration 0002_b.sql was added below number 4"},
      {"a file changed", {a, {2, "0002_b.sql", "other"}}, {}, "", "the migration 0002_b.sql was changed after"},
      {"a file was renamed",
       {{1, "0001_x.sql", a.checksum}},
       {},
       "",
       "the migration 0001_x.sql was renamed to 0001_a.sql"},
      {"a file is missing",
       {a, b, {3, "0003_c.sql", "c"}, d},
       {},
       "",
       "the database has the migration 0003_c.sql, whose file is missing"},
      {"a file is missing, which is not newer",
       {a, b, {3, "0003_c.sql", "c"}, d},
       {.allow_newer = true},
       "",
       "the database has the migration 0003_c.sql, whose file is missing"},
      {"the database is newer",
       {a, b, d, {5, "0005_e.sql", "e"}},
       {},
       "",
       "the database has the migration 0005_e.sql, which is newer than all files"},
      {"the database may be newer", {a, b, d, {5, "0005_e.sql", "e"}}, {.allow_newer = true}, "", ""},
  };
  for (const auto& test : cases) {
    CAPTURE(test.why);
    const Migration* next = nullptr;
    const std::string error = error_of([&] { next = next_of(files, test.applied, test.options); });
    CHECK((next == nullptr ? "" : next->name) == test.next);
    CHECK(error.substr(0, test.error.size()) == test.error);
    CHECK(error.empty() == test.error.empty());
  }
}

TEST_SUITE_END();

}  // namespace volt::migrations
