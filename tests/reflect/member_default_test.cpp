// SPDX-License-Identifier: MIT

#include "reflect/member_default.h"

#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

namespace volt::reflect {
namespace {
TEST_SUITE_BEGIN("reflect/member_default");

enum class Colour { red, green };

template <class T>
void check_defaults(bool expected) {
  const auto& defaults = member_defaults<T>();
  for (std::size_t i = 0; i < defaults.size(); ++i) {
    CAPTURE(std::string(member_names<T>()[i]));
    CHECK(defaults[i] == expected);
  }
}

TEST_CASE("a scalar with an initializer has a default, even if the initializer is zero") {
  struct Given {
    bool off = false;
    bool on = true;
    char letter = 'a';
    int zero = 0;
    int ones = -1;
    std::int64_t wide = 0;
    double ratio = 0;
    float fraction{};
    long double precise = 0.5L;
    Colour first = Colour::red;
    const char* text = nullptr;
    int braces{};
  };
  check_defaults<Given>(true);
}

TEST_CASE("a scalar without an initializer has no default") {
  struct Bare {
    bool flag;
    char letter;
    int number;
    std::int64_t wide;
    double ratio;
    float fraction;
    long double precise;
    Colour colour;
    const char* text;
  };
  check_defaults<Bare>(false);
}

TEST_CASE("defaults are detected for each member, next to members of any type") {
  struct Mixed {
    std::string name;
    int price;
    int count = 0;
    std::map<std::string, std::string> labels;
    bool sold = false;
    std::shared_ptr<int> link;
    bool hidden;
  };
  CHECK(member_defaults<Mixed>() == std::array<bool, 7>{false, false, true, false, true, true, false});
  CHECK(member_has_default<Mixed, 2>());
  CHECK_FALSE(member_has_default<Mixed, 1>());
}

TEST_CASE("a member of a type that can be absent always has a default") {
  struct Absent {
    std::optional<int> number;
    std::optional<std::string> text = "x";
    std::unique_ptr<int> owned;
    std::shared_ptr<std::string> shared;
  };
  check_defaults<Absent>(true);
}

TEST_CASE("a container has a default if its initializer is not empty") {
  struct Filled {
    std::string text = "x";
    std::string_view view = "y";
    std::vector<int> list = {0};
    std::map<std::string, int> map = {{"", 0}};
    std::unordered_map<std::string, int> table = {{"", 0}};
  };
  check_defaults<Filled>(true);
  struct Empty {
    std::string text;
    std::string blank = "";
    std::string_view view;
    std::vector<int> list;
    std::map<std::string, int> map;
    std::unordered_map<std::string, int> table;
  };
  check_defaults<Empty>(false);
}

TEST_CASE("an aggregate has a default if all of its members have one") {
  struct Whole {
    int x = 0;
    std::string name = "n";
  };
  struct Part {
    int x = 0;
    int y;
  };
  struct Good {
    Whole whole;
    Part given = {1, 2};
    std::array<int, 2> pair = {};
    std::array<Whole, 2> wholes;
    std::array<int, 0> none;
  };
  check_defaults<Good>(true);
  struct Bad {
    Part part;
    std::array<int, 2> pair;
    std::array<Part, 2> parts;
    Whole emptied = {0, ""};
  };
  check_defaults<Bad>(false);
}

TEST_CASE("a member of another class has a default if it differs from the value-initialized object") {
  struct Tag {
    int value;
    explicit Tag(int v) : value(v) {}
    Tag() : value(0) {}
    bool operator==(const Tag&) const = default;
  };
  struct Plain {  // a class without operator==
    int value;
  };
  struct Good {
    Tag tag = Tag(1);
    std::variant<int, std::string> either = "x";
    std::variant<int, Plain> number = 4;
    std::variant<std::string, Plain> plain = Plain{};
    std::pair<int, Plain> pair = {0, {1}};
    std::tuple<int, std::vector<Plain>> tuple = {0, {Plain{}}};
    std::chrono::seconds timeout = std::chrono::seconds(0);  // a trivial class, whose default is detected exactly
  };
  check_defaults<Good>(true);
  struct Bad {
    Tag tag;
    std::variant<int, std::string> either;
    std::variant<Plain, std::vector<Plain>> number;
    std::pair<int, Plain> pair;
    std::tuple<int, std::vector<Plain>> tuple = {};
    std::chrono::seconds timeout;
  };
  check_defaults<Bad>(false);
}

TEST_CASE("the members of a type without a default constructor have no defaults") {
  struct Unmade {
    std::reference_wrapper<int> target;
    int x = 3;
  };
  CHECK(member_defaults<Unmade>() == std::array<bool, 2>{false, false});
}

TEST_SUITE_END();
}  // namespace
}  // namespace volt::reflect
