// SPDX-License-Identifier: MIT

#include "http/middleware/problem_pages.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "http/html/form.h"
#include "http/html/template.h"
#include "http/middleware/compress.h"
#include "http/middleware/limits.h"
#include "http/middleware/observe.h"
#include "http/middleware/session.h"
#include "http/testing/test_client.h"
#include "http/validation/checked.h"
#include "http/web/extract.h"
#include "tests/support/engine.h"

namespace volt::http::problem_pages_test {
namespace {

constexpr std::string_view kBrowser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

struct ErrorPage {
  ProblemDetails problem;
  static constexpr Template html =
      "<h1>{{problem.status}} {{problem.title}}</h1>{{problem.detail}}"
      "{{for error in problem.errors}}<li>{{error.field}} {{error.detail}}</li>{{end}}";
};

ErrorPage error_page(From<ProblemDetails> problem) { return {*problem}; }

struct Guest {
  Length<std::string, 1, 5> name;
};

TestClientOptions on_test_engine() { return {.io = test_options().io}; }

// Answers of each kind: of handlers, of middleware and of the server itself.
App pages_app(Middleware pages) {
  App app;
  app.use(std::move(pages), csrf(), body_limit(100));
  app.get("/fine", [] { return "fine"; });
  app.get("/gone", [] { return Problem(Status::gone, "It is <b>gone</b>.").header("X-Since", "May"); });
  app.get("/none", []() -> std::optional<int> { return std::nullopt; });
  app.get("/broken", []() -> int { throw std::runtime_error("a secret"); });
  app.get("/status", [] { return Status::forbidden; });
  app.get("/busy", [] { return unavailable("later").retry_after(std::chrono::seconds(7)); });
  app.get("/text", [] { return Response::text("an error of its own", Status::bad_gateway); });
  app.get("/json", [] { return Response(Status::bad_gateway).body("[1]", "application/problem+json"); });
  app.post("/guests", [](Form<Guest>) {});
  return app;
}

}  // namespace

TEST_SUITE_BEGIN("http/middleware/problem_pages");

TEST_CASE("a client gets HTML if it prefers that to JSON") {
  const struct {
    std::string_view why, accept;
    bool html;
  } cases[] = {
      {"a browser", kBrowser, true},
      {"a browser that accepts everything equally, but names HTML", "text/html, application/xhtml+xml, */*", true},
      {"any text", "text/*", true},
      {"in another case", "Text/HTML", true},
      {"a client of APIs", "application/json", false},
      {"one that knows problems", "application/problem+json, text/html;q=0.9", false},
      {"curl", "*/*", false},
      {"a library for scripts", "application/json, text/plain, */*", false},
      {"both equally", "text/html, application/json", false},
      {"the more precise range counts", "text/html;q=0.1, */*", false},
      {"HTML is refused", "text/html;q=0", false},
      {"neither", "image/png", false},
      {"nothing that could be read", "html", false},
      {"an empty field", "", false},
  };
  TestClient client(pages_app(problem_pages(error_page)), on_test_engine());
  for (const auto& [why, accept, html] : cases) {
    CAPTURE(why);
    const TestResponse response = client.get("/gone").header("Accept", accept).send();
    CHECK(response.status() == 410);
    CHECK(response.header("content-type") == (html ? "text/html; charset=utf-8" : "application/problem+json"));
    CHECK(response.header("vary") == "Accept");
  }
  CHECK(client.get("/gone").send().header("content-type") == "application/problem+json");
}

TEST_CASE("errors of handlers, of middleware and of the server become pages, and keep their fields") {
  const std::string form = "application/x-www-form-urlencoded";
  TestClient client(pages_app(problem_pages(error_page)), on_test_engine());
  const auto get = [&](std::string_view path) { return client.get(path).header("Accept", kBrowser).send(); };
  const auto post = [&](std::string_view path, std::string body) {
    return client.post(path).header("Accept", kBrowser).same_origin().body(std::move(body), form).send();
  };
  const struct {
    TestResponse response;
    int status;
    std::string_view body;
  } cases[] = {
      {get("/gone"), 410, "<h1>410 Gone</h1>It is &lt;b&gt;gone&lt;/b&gt;."},
      {get("/none"), 404, "<h1>404 Not Found</h1>"},
      {get("/nowhere"), 404, "<h1>404 Not Found</h1>"},
      {get("/broken"), 500, "<h1>500 Internal Server Error</h1>"},
      {get("/status"), 403, "<h1>403 Forbidden</h1>"},
      {get("/guests"), 405, "<h1>405 Method Not Allowed</h1>"},
      {get("/busy"), 503, "<h1>503 Service Unavailable</h1>later"},
      {post("/guests", "name="), 422,
       "<h1>422 Unprocessable Content</h1>form name must have from 1 to 5 characters"
       "<li>name must have from 1 to 5 characters</li>"},
      {post("/guests", std::string(101, 'x')), 413, "<h1>413 Content Too Large</h1>"},
      {client.post("/guests").header("Accept", kBrowser).cross_site().send(), 403, "<h1>403 Forbidden</h1>"},
  };
  for (const auto& [response, status, body] : cases) {
    CAPTURE(body);
    CHECK(response.status() == status);
    CHECK(response.header("content-type") == "text/html; charset=utf-8");
    CHECK(response.body().starts_with(body));
    CHECK_FALSE(response.body().contains("secret"));
  }
  CHECK(get("/gone").header("x-since") == "May");
  CHECK(get("/guests").header("allow").value_or("").contains("POST"));
  CHECK(get("/busy").header("retry-after") == "7");
  CHECK(client.head("/gone").header("Accept", kBrowser).send().header("content-type") == "text/html; charset=utf-8");
}

TEST_CASE("responses that are no problems stay as they are") {
  TestClient client(pages_app(problem_pages(error_page)), on_test_engine());
  const struct {
    std::string_view path;
    int status;
    std::string_view body, vary;
  } cases[] = {{"/fine", 200, "fine", ""}, {"/text", 502, "an error of its own", ""}, {"/json", 502, "[1]", "Accept"}};
  for (const auto& [path, status, body, vary] : cases) {
    CAPTURE(path);
    const TestResponse response = client.get(path).header("Accept", kBrowser).send();
    CHECK(response.status() == status);
    CHECK(response.body() == body);
    CHECK(response.header("vary").value_or("") == vary);
  }
}

TEST_CASE("a page has what its function takes: state, a session, the path and the id of the request") {
  struct Site {
    std::string name;
  };
  App app;
  app.state(Site{"pens"});
  const auto page = [](From<ProblemDetails> problem, State<Site> site, CsrfField csrf) -> Task<Response> {
    co_await yield();
    const std::string text = site->name + " " + problem->path + " " + problem->request_id + " " + problem->type;
    co_return Response::html(text + (csrf.token.empty() ? "" : " token"), Status::ok);
  };
  app.use(request_id(), sessions({.cookie = "session", .secure = false}), problem_pages(page));
  app.get("/typed", [] { return not_found().type("https://pens.example/none"); });
  TestClient client(std::move(app), on_test_engine());
  const TestResponse response = client.get("/typed").header("Accept", "text/html").header("X-Request-Id", "a1").send();
  CHECK(response.status() == 404);
  CHECK(response.body() == "pens /typed a1 https://pens.example/none token");
}

TEST_CASE("a page that fails, or is not HTML, leaves the problem to the client") {
  const auto throws = [](From<ProblemDetails>) -> ErrorPage { throw std::runtime_error("no page"); };
  const auto misses_state = [](From<ProblemDetails> problem, State<Guest>) -> ErrorPage { return {*problem}; };
  const auto sends_text = [](From<ProblemDetails>) { return Response::text("<b>"); };
  const auto redirects = [](From<ProblemDetails>) { return Response(Status::see_other); };
  const auto check = [](Middleware pages) {
    TestClient client(pages_app(std::move(pages)), on_test_engine());
    const TestResponse response = client.get("/gone").header("Accept", kBrowser).send();
    CHECK(response.status() == 410);
    CHECK(response.header("content-type") == "application/problem+json");
    CHECK(response.header("x-since") == "May");
    CHECK(response.body().contains("It is <b>gone</b>."));
  };
  check(problem_pages(throws));
  check(problem_pages(misses_state));
  check(problem_pages(sends_text));
  check(problem_pages(redirects));
}

TEST_CASE("a group has pages of its own, and a compressed problem is not read") {
  App app;
  auto web = app.group("/web");
  web.use(problem_pages(error_page));
  web.get("/gone", [] { return Problem(Status::gone); });
  auto api = app.group("/api");
  api.get("/gone", [] { return Problem(Status::gone); });
  auto squeezed = app.group("/squeezed");
  squeezed.use(problem_pages(error_page), compress());
  squeezed.get("/gone", [] { return Problem(Status::gone, std::string(5000, 'x')); });
  TestClient client(std::move(app), on_test_engine());
  CHECK(client.get("/web/gone").header("Accept", kBrowser).send().body() == "<h1>410 Gone</h1>");
  CHECK(client.get("/api/gone").header("Accept", kBrowser).send().header("content-type") == "application/problem+json");
  const TestResponse coded =
      client.get("/squeezed/gone").header("Accept", kBrowser).header("Accept-Encoding", "gzip").send();
  CHECK(coded.header("content-type") == "application/problem+json");
  CHECK(coded.header("content-encoding") == "gzip");
}

TEST_SUITE_END();
}  // namespace volt::http::problem_pages_test
