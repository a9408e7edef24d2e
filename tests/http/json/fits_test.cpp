// SPDX-License-Identifier: MIT

#include "http/json/fits.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "http/json/json.h"

namespace volt::http {
namespace {
TEST_SUITE_BEGIN("http/json/fits");

enum class Colour { red, green, blue };

struct Circle {
  double radius;
  bool operator==(const Circle&) const = default;
};

struct Square {
  double side;
  std::string label = "none";
  bool operator==(const Square&) const = default;
};

struct Named {
  std::string radius;
  bool operator==(const Named&) const = default;
};

template <class T>
JsonError error_of(std::string_view text, const JsonOptions& options = {}) {
  auto value = from_json<T>(text, options);
  REQUIRE_MESSAGE(!value.has_value(), std::string(text));
  return value.error();
}

TEST_CASE("a variant takes the first alternative whose form the value has") {
  using Any = std::variant<std::monostate, bool, std::int8_t, double, Colour, std::string, std::vector<int>, Circle,
                           Square, Named>;
  const struct {
    std::string why;
    std::string text;
    Any want;
  } cases[] = {
      {"null", "null", {}},
      {"boolean", "true", true},
      {"a number that fits the integer", "5", std::int8_t{5}},
      {"a number that is too large for it", "128", 128.0},
      {"a fraction", "0.5", 0.5},
      {"an enumerator", R"("red")", Colour::red},
      {"another string", R"("pink")", "pink"},
      {"an array", "[1]", std::vector<int>{1}},
      {"an object, by its required member", R"({"side":2})", Square{2}},
      {"an object, by the kind of a member", R"({"radius":"long"})", Named{"long"}},
      {"an object that two fit", R"({"radius":1,"side":2})", Circle{1}},
      {"members after unknown ones", R"({"x":{"radius":1},"side":2,"label":"a"})", Square{2, "a"}},
  };
  for (const auto& [why, text, want] : cases) {
    CAPTURE(why);
    const auto value = from_json<Any>(text);
    REQUIRE(value.has_value());
    CHECK(*value == want);
    CHECK(from_json<Any>(to_json(want)) == want);
  }
}

TEST_CASE("a value that fits no alternative, or fits and then cannot be read, is an error") {
  using Two = std::variant<int, Circle>;
  CHECK(error_of<Two>("null") ==
        JsonError{JsonError::Kind::type, "", "expected a whole number or an object, found null"});
  CHECK(error_of<std::vector<Two>>(R"([1,{"radius":"x"}])").path == "/1");
  CHECK(error_of<std::variant<int, float>>("1e39") ==
        JsonError{JsonError::Kind::range, "", "expected a number that a float can hold, found 1e+39"});
  CHECK(error_of<Two>(R"({"radius":)").kind == JsonError::Kind::syntax);
  CHECK(from_json<std::variant<int, double>>(to_json(std::variant<int, double>(1.0)))->index() == 0);
  using Strict = std::variant<Circle, Square>;
  const std::string more = R"({"radius":1,"side":2,"label":""})";
  CHECK(from_json<Strict>(more)->index() == 0);
  CHECK(error_of<Strict>(more, {.unknown_fields = UnknownFields::refuse}).kind == JsonError::Kind::type);
}

struct Left;
struct Right;
using Side = std::variant<std::unique_ptr<Left>, std::unique_ptr<Right>>;
struct Left {
  int left;
  std::optional<Side> child;
};
struct Right {
  int right;
  std::optional<Side> child;
};

TEST_CASE("nested variants take no time exponential in their depth") {
  std::string text = R"({"right":"fits neither"})";
  for (int i = 0; i < 60; ++i) text = R"({"child":)" + text + R"(,"right":1})";
  CHECK(error_of<Side>(text).kind == JsonError::Kind::type);
}

TEST_SUITE_END();
}  // namespace
}  // namespace volt::http
