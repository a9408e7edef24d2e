// SPDX-License-Identifier: MIT

#include "http/web/internal/schema.h"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace volt::http::openapi::schema_test {

enum class Colour : std::uint8_t { red, green };

struct Pen {
  std::string name;
  Colour colour = Colour::green;
  std::optional<int> price;
};

struct Tree {
  int value;
  std::vector<Tree> children;
  std::unique_ptr<Tree> parent;
};

struct Circle {
  double radius;
};

template <class T>
struct Page {
  std::vector<T> items;
};

struct Date {
  int day;
};

struct Miles {
  int value;
};

}  // namespace volt::http::openapi::schema_test

template <>
struct volt::http::JsonConverter<volt::http::openapi::schema_test::Date> {
  static constexpr std::string_view kSchema = R"({"type":"string","format":"date"})";
  static std::string to(const openapi::schema_test::Date& date) { return std::to_string(date.day); }
};

template <>
struct volt::http::JsonConverter<volt::http::openapi::schema_test::Miles> {
  static int to(const openapi::schema_test::Miles& miles) { return miles.value; }
};

namespace volt::http::openapi::schema_test {

template <class T>
std::string alone() {
  Schemas schemas;
  return schema_of<T>(schemas);
}

// All named schemas of a type.
template <class T>
std::string named() {
  Schemas schemas;
  const std::string reference = schema_of<T>(schemas);
  CHECK(schema_of<T>(schemas) == reference);
  return schemas.text();
}

template <class T>
std::string from_text() {
  Schemas schemas;
  return text_schema_of<T>(schemas);
}

TEST_SUITE_BEGIN("http/web/internal/schema");

TEST_CASE("a type's schema allows the JSON that the type reads and writes") {
  const struct {
    std::string why, schema, want;
  } cases[] = {
      {"a boolean", alone<bool>(), R"({"type":"boolean"})"},
      {"32 bits have a format", alone<int>(), R"({"type":"integer","format":"int32"})"},
      {"64 bits have a format", alone<std::int64_t>(), R"({"type":"integer","format":"int64"})"},
      {"fewer than 32 bits have bounds", alone<std::int8_t>(), R"({"type":"integer","minimum":-128,"maximum":127})"},
      {"an unsigned integer", alone<std::uint16_t>(), R"({"type":"integer","minimum":0,"maximum":65535})"},
      {"an unsigned integer of 32 bits", alone<std::uint32_t>(),
       R"({"type":"integer","minimum":0,"maximum":4294967295})"},
      {"a bound that a double cannot represent is omitted", alone<std::uint64_t>(),
       R"({"type":"integer","minimum":0})"},
      {"a double", alone<double>(), R"({"type":"number","format":"double"})"},
      {"a float", alone<float>(), R"({"type":"number","format":"float"})"},
      {"text", alone<std::string>(), R"({"type":"string"})"},
      {"an enum", alone<Colour>(), R"({"type":"string","enum":["red","green"]})"},
      {"an optional allows null", alone<std::optional<int>>(),
       R"({"anyOf":[{"type":"integer","format":"int32"},{"type":"null"}]})"},
      {"a vector", alone<std::vector<bool>>(), R"({"type":"array","items":{"type":"boolean"}})"},
      {"a set", alone<std::set<std::string>>(), R"({"type":"array","items":{"type":"string"}})"},
      {"an array has a fixed size", alone<std::array<bool, 2>>(),
       R"({"type":"array","items":{"type":"boolean"},"minItems":2,"maxItems":2})"},
      {"a pair has a schema for each element", alone<std::pair<bool, std::string>>(),
       R"({"type":"array","prefixItems":[{"type":"boolean"},{"type":"string"}],"minItems":2,"items":false})"},
      {"a map", alone<std::map<std::string, bool>>(), R"({"type":"object","additionalProperties":{"type":"boolean"}})"},
      {"alternatives of different kinds exclude each other", alone<std::variant<std::monostate, bool, std::string>>(),
       R"({"oneOf":[{"type":"null"},{"type":"boolean"},{"type":"string"}]})"},
      {"two objects may both fit", alone<std::variant<Pen, Circle>>(),
       R"({"anyOf":[{"$ref":"#/components/schemas/Pen"},{"$ref":"#/components/schemas/Circle"}]})"},
      {"a converter with a schema of its own", alone<Date>(), R"({"type":"string","format":"date"})"},
      {"a converter with the schema of the type that it converts to", alone<Miles>(),
       R"({"type":"integer","format":"int32"})"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.why);
    CHECK(one.schema == one.want);
  }
}

TEST_CASE("an aggregate has a named schema and requires the members without a default") {
  CHECK(alone<Pen>() == R"({"$ref":"#/components/schemas/Pen"})");
  CHECK(named<Pen>() ==
        R"({"Pen":{"type":"object","properties":{"name":{"type":"string"},)"
        R"("colour":{"type":"string","enum":["red","green"],"default":"green"},)"
        R"("price":{"anyOf":[{"type":"integer","format":"int32"},{"type":"null"}]}},"required":["name"]}})");
}

TEST_CASE("an aggregate may contain itself") {
  CHECK(named<Tree>() == R"({"Tree":{"type":"object","properties":{"value":{"type":"integer","format":"int32"},)"
                         R"("children":{"type":"array","items":{"$ref":"#/components/schemas/Tree"}},)"
                         R"("parent":{"anyOf":[{"$ref":"#/components/schemas/Tree"},{"type":"null"}]}},)"
                         R"("required":["value","children"]}})");
}

TEST_CASE("two types with one name get two names") {
  struct Circle {
    int x;
  };
  Schemas schemas;
  CHECK(schema_of<schema_test::Circle>(schemas) == R"({"$ref":"#/components/schemas/Circle"})");
  CHECK(schema_of<Circle>(schemas) == R"({"$ref":"#/components/schemas/Circle_2"})");
  CHECK(schema_of<schema_test::Circle>(schemas) == R"({"$ref":"#/components/schemas/Circle"})");
}

TEST_CASE("a type that is read from text is described as text") {
  CHECK(from_text<std::optional<int>>() == R"({"type":"integer","format":"int32"})");
  CHECK(from_text<std::vector<Colour>>() == R"({"type":"array","items":{"type":"string","enum":["red","green"]}})");
  CHECK(from_text<char>() == R"({"type":"string","minLength":1,"maxLength":1})");
}

TEST_CASE("a component's name is the last part of the type's name") {
  const struct {
    std::string_view why, type, want;
  } cases[] = {
      {"a plain name", "Item", "Item"},
      {"without namespaces", "shop::v1::Item", "Item"},
      {"clang's anonymous namespace", "shop::(anonymous namespace)::Item", "Item"},
      {"g++'s", "shop::{anonymous}::Item", "Item"},
      {"a type in a function", "main(int, char**)::Item", "Item"},
      {"arguments of a template", "shop::Page<shop::Item>", "Page_Item"},
      {"several", "Pair<a::B, c::D>", "Pair_B_D"},
      {"an empty name", "<>", "Object"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.why);
    CHECK(component_name(one.type) == one.want);
  }
  CHECK(alone<Page<Pen>>() == R"({"$ref":"#/components/schemas/Page_Pen"})");
}

TEST_SUITE_END();

}  // namespace volt::http::openapi::schema_test
