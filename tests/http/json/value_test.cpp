// SPDX-License-Identifier: MIT

#include "http/json/value.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "http/http.h"
#include "http/web/internal/schema.h"
#include "tests/http/in_process_app.h"

namespace volt::http {
namespace {

struct Event {
  std::string kind;
  JsonValue data;
  std::optional<JsonValue> more = {};
};

JsonValue parse(std::string_view text, const JsonOptions& options = {}) {
  auto value = from_json<JsonValue>(text, options);
  REQUIRE_MESSAGE(value.has_value(), text);
  return *std::move(value);
}

JsonError error_of(std::string_view text, const JsonOptions& options = {}) {
  const auto value = from_json<JsonValue>(text, options);
  REQUIRE_MESSAGE(!value.has_value(), text);
  return value.error();
}

TEST_SUITE_BEGIN("http/json/value");

TEST_CASE("what is read is written again") {
  for (const std::string_view text : {
           "null",
           "true",
           "false",
           "0",
           "-9223372036854775808",
           "9223372036854775807",
           "9223372036854775808",
           "18446744073709551615",
           "0.1",
           "1e+300",
           "-0.0",
           R"("")",
           R"("a\"\\\n€")",
           "[]",
           "{}",
           R"([1,[2,[]],{"a":null}])",
           R"({"z":1,"a":{"b":[true,"x"]},"m":2})",
       }) {
    CAPTURE(text);
    const JsonValue value = parse(text);
    CHECK(to_json(value) == text);
    CHECK(parse(to_json(value)) == value);
  }
}

TEST_CASE("values have kinds, and numbers are exact") {
  using enum json::Kind;
  CHECK(parse("null").kind() == null);
  CHECK(JsonValue().is_null());
  CHECK(JsonValue(nullptr).is_null());
  CHECK(parse("true").kind() == boolean);
  CHECK(parse("1").kind() == number);
  CHECK(parse("18446744073709551615").kind() == number);
  CHECK(parse("1.5").kind() == number);
  CHECK(parse(R"("a")").kind() == string);
  CHECK(parse("[]").kind() == array);
  CHECK(parse("{}").kind() == object);

  CHECK(parse("true").get<bool>() == true);
  CHECK(!parse("1").get<bool>());
  CHECK(parse("255").get<std::uint8_t>() == 255);
  CHECK(!parse("256").get<std::uint8_t>());
  CHECK(!parse("-1").get<std::uint64_t>());
  CHECK(parse("18446744073709551615").get<std::uint64_t>() == std::numeric_limits<std::uint64_t>::max());
  CHECK(!parse("18446744073709551615").get<std::int64_t>());
  CHECK(!parse("1.0").get<int>());
  CHECK(parse("1.5").get<double>() == 1.5);
  CHECK(parse("7").get<double>() == 7);
  CHECK(parse("18446744073709551615").get<double>() == 0x1p64);
  CHECK(!parse("1e300").get<float>());
  CHECK(!parse(R"("7")").get<int>());
  CHECK(parse(R"("a")").get<std::string_view>() == "a");
  CHECK(parse(R"("a")").get<std::string>() == "a");
  CHECK(!parse("1").get<std::string>());
  CHECK(JsonValue(std::uint64_t{7}) == JsonValue(7));
  CHECK(JsonValue(1) != JsonValue(1.0));
  CHECK(to_json(JsonValue(std::nan(""))) == "null");
}

TEST_CASE("a JSON Pointer finds a value") {
  const JsonValue value = parse(R"({"items":[{"price":3},7],"a/b":1,"m~n":2,"":{"":4},"01":5})");
  const struct {
    std::string_view pointer;
    std::string_view found;  // empty: none
  } cases[] = {
      {"/items/0/price", "3"},
      {"/items/1", "7"},
      {"/a~1b", "1"},
      {"/m~0n", "2"},
      {"/", R"({"":4})"},
      {"//", "4"},
      {"/01", "5"},
      {"/items/2", ""},
      {"/items/01", ""},
      {"/items/-", ""},
      {"/items/", ""},
      {"/none", ""},
      {"/a~1b/x", ""},
      {"/m~2n", ""},
      {"/m~", ""},
      {"items", ""},
      {"/items/99999999999999999999", ""},
  };
  for (const auto& [pointer, found] : cases) {
    CAPTURE(pointer);
    const JsonValue* at = value.at(pointer);
    CHECK((at == nullptr ? "" : to_json(*at)) == found);
  }
  CHECK(value.at("") == &value);
  CHECK(value.find("items") == value.at("/items"));
  CHECK(value.at("/items")->find("x") == nullptr);
}

TEST_CASE("values are made and changed") {
  JsonValue value = JsonObject{{"id", 7}, {"tags", JsonArray{"a", true, nullptr, 0.5}}, {"name", std::string("pen")}};
  value.set("id", 8).set("new", JsonArray{});
  value.find("new")->push(1).push("x");
  *value.at("/tags/1") = false;
  CHECK(to_json(value) == R"({"id":8,"tags":["a",false,null,0.5],"name":"pen","new":[1,"x"]})");
}

TEST_CASE("set and push need an object and an array") {
  JsonValue value;
  value.set("a", 1);
  CHECK(to_json(value) == R"({"a":1})");
  CHECK_THROWS_WITH_AS(value.push(1), "JsonValue::push: not an array but an object", std::logic_error);
  JsonValue list;
  list.push(1);
  CHECK(to_json(list) == "[1]");
  CHECK_THROWS_WITH_AS(list.set("a", 1), "JsonValue::set: not an object but an array", std::logic_error);
}

TEST_CASE("errors have a place") {
  CHECK(error_of(R"({"a":[1,{"b":1,"b":2}]})").kind == JsonError::Kind::duplicate);
  CHECK(error_of(R"({"a":[1,{"b":1,"b":2}]})").path == "/a/1/b");
  CHECK(error_of("[[[]]]", {.depth_max = 1}).kind == JsonError::Kind::too_deep);
  CHECK(error_of("99999999999999999999").kind == JsonError::Kind::range);
  CHECK(error_of("[1,]").kind == JsonError::Kind::syntax);
  CHECK(error_of("\"\xff\"").kind == JsonError::Kind::syntax);
}

TEST_CASE("a JsonValue is a member of a struct, a map and a variant") {
  const auto event = from_json<Event>(R"({"kind":"a","data":{"x":[1]},"more":null})");
  REQUIRE(event.has_value());
  CHECK(to_json(event->data) == R"({"x":[1]})");
  CHECK(!event->more);
  CHECK(to_json(*event) == R"({"kind":"a","data":{"x":[1]},"more":null})");
  const auto missing = from_json<Event>(R"({"kind":"a"})");
  REQUIRE(!missing.has_value());
  CHECK(missing.error().path == "/data");
  CHECK(missing.error().kind == JsonError::Kind::missing);
  using Either = std::variant<int, JsonValue>;
  CHECK(std::get<0>(*from_json<Either>("1")) == 1);
  CHECK(to_json(std::get<1>(*from_json<Either>("[1]"))) == "[1]");
}

TEST_CASE("a handler takes and returns any JSON, and the document says so") {
  App app;
  app.post("/", [](Json<JsonValue> in) {
    in->set("seen", true);
    return *in;
  });
  InProcessApp served(std::move(app));
  const auto post = [&served](std::string body) {
    return served.ask(
        {.method = Method::post, .fields = {{"content-type", "application/json"}}, .body = std::move(body)});
  };
  CHECK(post(R"({"b":1,"a":2})").body() == R"({"b":1,"a":2,"seen":true})");
  CHECK(post("{").status() == Status::bad_request);
  CHECK(post(R"({"a":1,"a":2})").status() == Status::unprocessable_content);
  openapi::Schemas schemas;
  CHECK(openapi::schema_of<JsonValue>(schemas) == "{}");
  CHECK(openapi::schema_of<std::vector<JsonValue>>(schemas) == R"({"type":"array","items":{}})");
}

TEST_SUITE_END();

}  // namespace
}  // namespace volt::http
