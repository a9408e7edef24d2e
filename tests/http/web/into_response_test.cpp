// SPDX-License-Identifier: MIT

#include "http/web/into_response.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "http/http.h"
#include "tests/http/in_process_app.h"

namespace volt::http::into_response_test {

struct Item {
  std::int64_t id;
  std::string name;
};
struct Tag {
  std::string id;
};
struct Nameless {
  int value;
};
struct Teapot {
  Response into_response(const Request& request) && { return Response::text(std::string(request.path()), Status{418}); }
};
struct Celsius {
  int degrees;
};

}  // namespace volt::http::into_response_test

template <>
struct volt::http::IntoResponse<volt::http::into_response_test::Celsius> {
  static Response from(into_response_test::Celsius value, const Request&) {
    return Response::text(std::to_string(value.degrees) + " C");
  }
};

namespace volt::http {
namespace {

using namespace into_response_test;

constexpr std::string_view kText = "text/plain; charset=utf-8";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kProblem = "application/problem+json";

template <class T>
std::expected<T, Problem> failed() {
  return std::unexpected(conflict("taken"));
}

App sample() {
  App app;
  app.get("/literal", [] { return "text"; });
  app.get("/string", [] { return std::string("text"); });
  app.get("/static", []() -> StaticText { return "text"; });
  app.get("/response", [] { return Response::html("<p>", Status::accepted); });
  app.get("/aggregate", [] { return Item{1, "pen"}; });
  app.get("/vector", [] { return std::vector{1, 2}; });
  app.get("/map", [] { return std::map<std::string, int>{{"a", 1}}; });
  app.get("/number", [] { return 42; });
  app.get("/truth", [] { return true; });
  app.get("/json", [] { return Json(std::string("text")); });
  app.get("/some", [] { return std::optional(Item{1, "pen"}); });
  app.get("/none", [] { return std::optional<Item>(); });
  app.get("/expected", [] { return std::expected<std::string, Problem>("text"); });
  app.get("/unexpected", [] { return failed<std::string>(); });
  app.get("/unexpected_status", [] { return std::expected<Item, Status>(std::unexpected(Status::gone)); });
  app.get("/expected_void", [] { return std::expected<void, Problem>(); });
  app.get("/unexpected_void", [] { return failed<void>(); });
  app.get("/status", [] { return Status::accepted; });
  app.get("/problem", [] { return not_found("no such item"); });
  app.get("/first", [] { return std::variant<Item, Problem>(Item{1, "pen"}); });
  app.get("/second", [] { return std::variant<Item, Problem>(conflict("taken")); });
  app.get("/void", [] {});
  app.get("/task", []() -> Task<Item> { co_return Item{1, "pen"}; });
  app.get("/task_none", []() -> Task<std::optional<Item>> { co_return std::nullopt; });
  app.get("/task_void", []() -> Task<> { co_return; });
  app.get("/task_response", []() -> Task<Response> { co_return Response::text("text"); });
  app.get("/nested", [] { return std::optional(failed<Item>()); });
  app.get("/teapot", [] { return Teapot(); });
  app.get("/celsius", [] { return Celsius{21}; });
  return app;
}

}  // namespace

TEST_SUITE_BEGIN("http/web/into_response");

TEST_CASE("a const char* that points to no literal is refused, also through other types") {
  static const std::string text(100, 'a');
  static char buffer[] = "variable";
  App app;
  app.get("/literal", []() -> Task<std::optional<const char*>> { co_return "text"; });
  app.get("/allocated", [] { return text.c_str(); });
  app.get("/variable", []() -> const char* { return buffer; });
  app.get("/optional", []() -> Task<std::optional<const char*>> { co_return text.c_str(); });
  app.get("/null", []() -> const char* { return nullptr; });
  InProcessApp served(std::move(app));
  CHECK(served.ask({.path = "/literal"}).status() == Status::ok);
  for (const std::string path : {"/allocated", "/variable", "/optional", "/null"}) {
    CAPTURE(path);
    CHECK(served.ask({.path = path}).status() == Status::internal_server_error);
  }
}

TEST_CASE("every type of result becomes a response") {
  InProcessApp app(sample());
  const std::string pen = R"({"id":1,"name":"pen"})";
  const std::string taken = R"({"title":"Conflict","status":409,"detail":"taken"})";
  const struct {
    std::string path;
    int status;
    std::string_view type;
    std::string body;
  } cases[] = {
      {"/literal", 200, kText, "text"},
      {"/string", 200, kText, "text"},
      {"/static", 200, kText, "text"},
      {"/response", 202, "text/html; charset=utf-8", "<p>"},
      {"/aggregate", 200, kJson, pen},
      {"/vector", 200, kJson, "[1,2]"},
      {"/map", 200, kJson, R"({"a":1})"},
      {"/number", 200, kJson, "42"},
      {"/truth", 200, kJson, "true"},
      {"/json", 200, kJson, R"("text")"},
      {"/some", 200, kJson, pen},
      {"/none", 404, kProblem, R"({"title":"Not Found","status":404})"},
      {"/expected", 200, kText, "text"},
      {"/unexpected", 409, kProblem, taken},
      {"/unexpected_status", 410, "", ""},
      {"/expected_void", 204, "", ""},
      {"/unexpected_void", 409, kProblem, taken},
      {"/status", 202, "", ""},
      {"/problem", 404, kProblem, R"({"title":"Not Found","status":404,"detail":"no such item"})"},
      {"/first", 200, kJson, pen},
      {"/second", 409, kProblem, taken},
      {"/void", 204, "", ""},
      {"/task", 200, kJson, pen},
      {"/task_none", 404, kProblem, R"({"title":"Not Found","status":404})"},
      {"/task_void", 204, "", ""},
      {"/task_response", 200, kText, "text"},
      {"/nested", 409, kProblem, taken},
      {"/teapot", 418, kText, "/teapot"},
      {"/celsius", 200, kText, "21 C"},
  };
  for (const auto& [path, status, type, body] : cases) {
    CAPTURE(path);
    const Response response = app.ask({.path = path});
    CHECK(code(response.status()) == status);
    CHECK(response.content_type() == type);
    CHECK(response.body() == body);
  }
}

TEST_CASE("the response to a creation has the location of the created resource") {
  App app;
  app.post("/items", [] { return Created(Item{7, "pen"}); });
  app.post("/items/", [] { return Created(Item{8, "pen"}); });
  app.post("/tags", []() -> Task<Created<Tag>> { co_return Tag{"red"}; });
  app.post("/odd", [] { return Created(Tag{"a \"/..?é"}); });
  app.post("/elsewhere", [] { return Created(Item{7, "pen"}, "/other/7"); });
  app.post("/nameless", [] { return Created(Nameless{1}); });
  app.trailing_slash(TrailingSlash::strict);
  InProcessApp asked(std::move(app));
  const struct {
    std::string why, path, location, body;
  } cases[] = {
      {"below the collection", "/items", "/items/7", R"({"id":7,"name":"pen"})"},
      {"the collection ends with a slash", "/items/", "/items/8", R"({"id":8,"name":"pen"})"},
      {"a text id", "/tags", "/tags/red", R"({"id":"red"})"},
      {"RFC 3986 2.1: the id is percent-encoded", "/odd", "/odd/a%20%22%2F..%3F%C3%A9", R"({"id":"a \"/..?é"})"},
      {"an explicit location", "/elsewhere", "/other/7", R"({"id":7,"name":"pen"})"},
      {"no id: no Location", "/nameless", "", R"({"value":1})"},
  };
  for (const auto& [why, path, location, body] : cases) {
    CAPTURE(why);
    const Response response = asked.ask({.method = Method::post, .path = path});
    CHECK(response.status() == Status::created);
    CHECK(response.header("location").value_or("") == location);
    CHECK(response.body() == body);
  }
}

TEST_SUITE_END();
}  // namespace volt::http
