// SPDX-License-Identifier: MIT

#include "http/validation/checked.h"

#include <doctest/doctest.h>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "http/http.h"
#include "http/openapi/openapi.h"
#include "http/testing/test_client.h"

namespace volt::http {
namespace {

enum class Ink { black, blue };

struct Even {
  static bool holds(int value) { return value % 2 == 0; }
  static std::string sentence() { return "must be even"; }
  static std::string schema() { return R"("multipleOf":2)"; }
};

struct Address {
  Length<std::string, 2, 20> city;
  std::optional<Invalid> check() const {
    if (*city == "Atlantis") return Invalid("city", "does not exist");
    return std::nullopt;
  }
};

struct NewInk {
  Length<std::string, 1, 5> name;
  Ranged<int, 1, 100> price;
  Checked<int, Even, rules::Range<0, 10>> pieces = 2;
  std::optional<Unique<std::vector<Ink>>> colors = {};
  std::optional<Email> contact = {};
  std::optional<std::vector<Address>> shops = {};
  std::optional<std::map<std::string, Ranged<unsigned, 0u, 9u>>> grades = {};

  std::vector<Invalid> check() const {
    std::vector<Invalid> all;
    if (pieces > price) all.emplace_back("pieces", "must not exceed price");
    if (*name == "none") all.emplace_back("this ink is not sold");
    if (shops && *shops->front().city == "Nowhere") all.emplace_back("shops/0/city", "is closed");
    return all;
  }
};

struct Pages {
  Ranged<int, 1, 100> limit = 20;
  Unique<std::vector<int>> ids = {};
  std::optional<Date> after = {};

  std::optional<Invalid> check() const {
    if (limit == 13) return Invalid("limit", "must not be 13");
    if (limit == 14) return Invalid("must not be like that");
    return std::nullopt;
  }
};

// The errors as "path detail; ...".
std::string refusal(std::string_view text) {
  const auto ink = from_json<NewInk>(text);
  if (ink) return "";
  std::string all = ink.error().path + " " + ink.error().detail;
  for (const JsonError& other : ink.error().others) all += "; " + other.path + " " + other.detail;
  return all;
}

std::string errors_in(const std::string& body) {
  const std::size_t at = body.find("\"errors\":");
  return at == std::string::npos ? body : body.substr(at);
}

App make_ink_app() {
  App app;
  app.post("/inks", [](Json<NewInk> ink) { return *ink->name; });
  app.get("/inks",
          [](Query<Pages> pages) { return std::to_string(pages->limit + static_cast<int>(pages->ids->size())); });
  app.post("/form", [](Form<Pages> pages) { return std::to_string(*pages->limit); });
  app.get("/inks/{id}", [](Path<AtLeast<int, 1>> id) { return std::to_string(**id + 1); });
  app.get("/header", [](Header<"x-id", std::optional<Uuid>> id) {
    return id->has_value() ? (*id)->value() : std::string("none");
  });
  return app;
}

}  // namespace

TEST_SUITE_BEGIN("http/validation/checked");

TEST_CASE("a checked value converts to its value and is checked when it is assigned") {
  Ranged<int, 1, 10> number = 3;
  CHECK(number + 1 == 4);
  CHECK(number < 4);
  CHECK(number == Ranged<int, 1, 10>(3));
  number = 10;
  CHECK(*number == 10);
  CHECK_THROWS_WITH_AS(number = 11, "a value must be from 1 to 10", std::invalid_argument);
  CHECK(number == 10);
  const Length<std::string, 1, 3> text = "abc";
  CHECK(text == "abc");
  CHECK(text->size() == 3);
  const std::string& inner = text;
  CHECK(inner == "abc");
  static_assert(Ranged<int, 1, 10>(5) == 5);
  static_assert(!std::is_constructible_v<Ranged<int, 1, 10>, std::string>);
}

TEST_CASE("rules hold for what they say, and say it") {
  CHECK(Ranged<unsigned, 0, 5>::broken(6) == "must be from 0 to 5");
  CHECK(Ranged<int, -5, 5u>::holds(-5));
  CHECK(!Ranged<unsigned, -1, 5>::holds(6u));
  CHECK(Ranged<unsigned, -1, 5>::holds(0u));
  CHECK(Ranged<double, 0.5, 1.5>::broken(1.6) == "must be from 0.5 to 1.5");
  CHECK(AtLeast<int, 3>::broken(2) == "must be at least 3");
  using Milliseconds = Ranged<std::chrono::milliseconds, 1, 50>;
  CHECK(Milliseconds::holds(std::chrono::milliseconds(50)));
  CHECK(Milliseconds::broken(std::chrono::milliseconds(51)) == "must be from 1 ms to 50 ms");
  CHECK(Length<std::string, 2, 2>::holds("\xc3\xa4\xe2\x82\xac"));  // two characters of five bytes
  CHECK(Length<std::string, 2, 2>::broken("a") == "must have exactly 2 characters");
  CHECK(Length<std::vector<int>, 0, 1>::broken({1, 2}) == "must have at most 1 element");
  CHECK(Length<std::string, 1, SIZE_MAX>::broken("") == "must not be empty");
  CHECK(Length<std::set<int>, 2, SIZE_MAX>::broken({1}) == "must have at least 2 elements");
  CHECK(Unique<std::vector<std::string>>::holds({"b", "a"}));
  CHECK(!Unique<std::vector<std::string>>::holds({"b", "a", "b"}));
  CHECK(Checked<int, Even, rules::Range<0, 10>>::broken(12) == "must be from 0 to 10");
  CHECK(Checked<int, Even, rules::Range<0, 10>>::broken(13) == "must be even");
}

TEST_CASE("JSON that breaks rules is refused with all errors and their paths") {
  CHECK(refusal(R"({"name":"a","price":1,"pieces":0})") == "");
  CHECK(refusal(R"({"name":"","price":101,"pieces":3,"colors":["blue","blue"],"contact":"ann"})") ==
        "/name must have from 1 to 5 characters; /price must be from 1 to 100; /pieces must be even; "
        "/colors must not contain a value twice; /contact must be an email address");
  CHECK(refusal(R"({"price":"1","colors":["red",1]})") ==
        "/price expected a whole number, found a string; "
        "/colors/0 expected one of black, blue, found \"red\"; /colors/1 expected one of black, blue, found a number; "
        "/name expected a string, but the member is missing");
  CHECK(refusal(R"({"name":"a","price":1,"pieces":0,"shops":[{"city":"x"},{"city":"Rome"},{"city":"Atlantis"}]})") ==
        "/shops/0/city must have from 2 to 20 characters; /shops/2/city does not exist");
  CHECK(refusal(R"({"name":"a","price":1,"pieces":0,"grades":{"a":1,"b":10,"c":"x"}})") ==
        "/grades/b must be from 0 to 9; /grades/c expected a whole number, found a string");
}

TEST_CASE("check() runs when the members are valid, and may refuse several of them, or the whole") {
  CHECK(refusal(R"({"name":"none","price":1,"shops":[{"city":"Nowhere"}]})") ==
        "/pieces must not exceed price;  this ink is not sold; /shops/0/city is closed");
  CHECK(refusal(R"({"name":"none","price":0})") == "/price must be from 1 to 100");
}

TEST_CASE("a document gets at most 16 errors") {
  std::string many = R"({"name":"a","price":1,"shops":[)";
  for (int i = 0; i != 100; ++i) many += i == 0 ? "1" : ",1";
  const auto ink = from_json<NewInk>(many + "]}");
  REQUIRE(!ink);
  CHECK(ink.error().others.size() == 15);
  CHECK(ink.error().others.back().path == "/shops/15");
}

TEST_CASE("reading goes on behind nested errors, but not behind an array that is left") {
  struct Point {
    std::array<std::array<int, 2>, 2> corners;
    int z;
  };
  const auto paths = [](std::string_view text) {
    const auto point = from_json<Point>(text);
    std::string all = point ? "" : point.error().path;
    for (const JsonError& other : point ? std::vector<JsonError>() : point.error().others) all += " " + other.path;
    return all;
  };
  CHECK(paths(R"({"corners":[[1,2],[3,4]],"z":1})") == "");
  CHECK(paths(R"({"corners":[["a",2],[3,"b"]],"z":"c"})") == "/corners/0/0 /corners/1/1 /z");
  CHECK(paths(R"({"corners":[[1],[3,4]],"z":"c"})") == "/corners/0 /z");
  CHECK(paths(R"({"corners":[[1,2,3],[3,"b"]],"z":"c"})") == "/corners/0");
  CHECK(paths(R"({"z":1,"z":"c"})") == "/z /corners");
}

TEST_CASE("a checked value is written as its value") {
  NewInk ink;
  ink.name = "blue";
  ink.price = 7;
  ink.grades.emplace()["a"] = 1u;
  CHECK(to_json(ink) ==
        R"({"name":"blue","price":7,"pieces":2,"colors":null,"contact":null,"shops":null,"grades":{"a":1}})");
}

TEST_CASE("bodies, forms, queries, paths and header fields with wrong values are refused") {
  TestClient client(make_ink_app());
  const auto body = client.post("/inks").body(R"({"name":"a","price":0})", "application/json").send();
  CHECK(body.status() == Status::unprocessable_content);
  CHECK(errors_in(body.body()) == R"("errors":[{"field":"/price","detail":"must be from 1 to 100"}]})");
  CHECK(client.get("/inks?limit=3&ids=1&ids=2").send().body() == "5");
  const auto query = client.get("/inks?limit=0&ids=1&ids=1&after=2026-02-30").send();
  CHECK(query.status() == Status::bad_request);
  CHECK(errors_in(query.body()) == R"("errors":[{"field":"limit","detail":"must be from 1 to 100"},)"
                                   R"({"field":"ids","detail":"must not contain a value twice"},)"
                                   R"({"field":"after","detail":"must be a date, such as 2026-02-28"}]})");
  CHECK(errors_in(client.get("/inks?limit=13").send().body()) ==
        R"("errors":[{"field":"limit","detail":"must not be 13"}]})");
  CHECK(client.get("/inks?limit=14").send().body().find("\"detail\":\"query must not be like that\"") !=
        std::string::npos);
  const auto form = client.post("/form").form({{"limit", "x"}}).send();
  CHECK(form.status() == Status::unprocessable_content);
  CHECK(client.get("/inks/1").send().body() == "2");
  CHECK(errors_in(client.get("/inks/0").send().body()) ==
        R"("errors":[{"field":"id","detail":"must be at least 1"}]})");
  CHECK(client.get("/header").send().body() == "none");
  CHECK(client.get("/header").header("x-id", "7").send().status() == Status::bad_request);
}

TEST_CASE("the OpenAPI document has the rules") {
  const std::string document = make_ink_app().openapi({.title = "inks", .version = "1"});
  for (const char* part :
       {R"("name":{"type":"string","minLength":1,"maxLength":5})",
        R"("price":{"type":"integer","format":"int32","minimum":1,"maximum":100})",
        R"("pieces":{"type":"integer","format":"int32","multipleOf":2,"minimum":0,"maximum":10,"default":2})",
        R"("uniqueItems":true)", R"("format":"email")", R"("format":"uuid")", R"("format":"date")",
        R"("additionalProperties":{"type":"integer","minimum":0,"maximum":9})"})
    CHECK_MESSAGE(document.find(part) != std::string::npos, std::string(part));
}

TEST_CASE("parameters, forms and paths have the rules in the document; a list is required if it must not be empty") {
  struct Fields {
    Unique<std::vector<int>> any;
    Length<std::vector<int>, 1, 9> some;
    Pattern<"[a-z]+"> word = std::string("a");
  };
  App app;
  app.get("/{id}",
          [](Path<Ranged<int, 1, 5>>, Query<Fields>, Header<"x-a", Uuid>, Cookie<"c", std::optional<Email>>) {});
  app.post("/", [](Form<Fields>) {});
  const std::string document = app.openapi({.title = "t", .version = "1"});
  const std::string numbers = R"("type":"array","items":{"type":"integer","format":"int32"},)";
  for (const std::string& part :
       {std::string(R"({"name":"id","in":"path","required":true,"schema":{"type":"integer","format":"int32",)") +
            R"("minimum":1,"maximum":5}})",
        R"({"name":"any","in":"query","schema":{)" + numbers + R"("uniqueItems":true}})",
        R"({"name":"some","in":"query","required":true,"schema":{)" + numbers + R"("minItems":1,"maxItems":9}})",
        std::string(
            R"({"name":"word","in":"query","schema":{"type":"string","pattern":"^(?:[a-z]+)$","default":"a"}})"),
        std::string(R"({"name":"x-a","in":"header","required":true,"schema":{"type":"string","format":"uuid"}})"),
        std::string(R"({"name":"c","in":"cookie","schema":{"type":"string","format":"email"}})"),
        R"("properties":{"any":{)" + numbers + R"("uniqueItems":true},"some":{)" + numbers +
            R"("minItems":1,"maxItems":9},"word":{"type":"string","pattern":"^(?:[a-z]+)$","default":"a"}},)" +
            R"("required":["some"]})"}) {
    CHECK_MESSAGE(document.find(part) != std::string::npos, part);
  }
}

TEST_SUITE_END();
}  // namespace volt::http
