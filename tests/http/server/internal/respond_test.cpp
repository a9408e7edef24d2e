// SPDX-License-Identifier: MIT

#include "http/server/internal/respond.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "http/server/app.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/support/served_app.h"

namespace volt::http::server {
namespace {

Response ask(const Service& service, Method method, std::string_view path) {
  Request request(message::RequestHead{.method = method, .target = path, .path = path, .host = "a"});
  return respond(service.find(request), request);
}

App sample() {
  App app;
  app.get("/text", [] { return "text"; });
  app.get("/string", [](const Request& request) { return std::string(request.path()); });
  app.get("/response", [] { return Response::json("{}", Status::accepted); });
  app.del("/void", [] {});
  app.get("/throws", []() -> std::string { throw std::logic_error("decided by the test"); });
  app.get("/odd", []() -> Response { throw "decided by the test"; });
  app.get("/cancelled", []() -> Response { throw Cancelled{}; });
  return app;
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/respond");

TEST_CASE("a plain handler makes one response, whatever it does") {
  const Service service(sample().release());
  const struct {
    std::string_view why;
    Method method;
    std::string_view path;
    int status;
    std::string_view body, allow;
  } cases[] = {
      {"a literal", Method::get, "/text", 200, "text", ""},
      {"a string", Method::get, "/string", 200, "/string", ""},
      {"a response", Method::get, "/response", 202, "{}", ""},
      {"nothing is 204", Method::del, "/void", 204, "", ""},
      {"an exception", Method::get, "/throws", 500, R"({"title":"Internal Server Error","status":500})", ""},
      {"any exception", Method::get, "/odd", 500, R"({"title":"Internal Server Error","status":500})", ""},
      {"a plain function is not cancelled", Method::get, "/cancelled", 500,
       R"({"title":"Internal Server Error","status":500})", ""},
      {"9110 15.5.5: no such path", Method::get, "/none", 404, R"({"title":"Not Found","status":404})", ""},
      {"9110 15.5.6: another method", Method::put, "/text", 405, R"({"title":"Method Not Allowed","status":405})",
       "GET, HEAD, OPTIONS"},
      {"9110 9.3.7: OPTIONS of a path", Method::options, "/void", 204, "", "DELETE, OPTIONS"},
      {"9110 9.3.7: of none", Method::options, "/none", 404, R"({"title":"Not Found","status":404})", ""},
      {"9110 9.3.7: of the server", Method::options, "*", 204, "", ""},
      {"9110 9.3.8: TRACE is for debugging", Method::trace, "/text", 405,
       R"({"title":"Method Not Allowed","status":405})", "GET, HEAD, OPTIONS"},
  };
  for (const auto& [why, method, path, status, body, allow] : cases) {
    CAPTURE(why);
    const Response response = ask(service, method, path);
    CHECK(code(response.status()) == status);
    CHECK(response.body() == body);
    CHECK(response.header("Allow").value_or("") == allow);
  }
}

TEST_CASE("an exception of a coroutine is a response, unless the calling task was cancelled") {
  App app;
  app.get("/ok", [](Request&) -> Task<std::string> { co_return "ok"; });
  app.get("/throws", [](Request&) -> Task<std::string> { throw std::logic_error("decided by the test"); });
  app.get("/cancelled", [](Request&) -> Task<std::string> { throw Cancelled{}; });
  const Service service(std::move(app).release());
  Runtime runtime(test_options());
  const auto ask_later = [&](std::string_view path) -> Task<int> {
    Request request(message::RequestHead{.target = path, .path = path, .host = "a"});
    const Response response = co_await respond_later(service.find(request), request);
    co_return code(response.status());
  };
  CHECK(runtime.block_on(ask_later, "/ok") == 200);
  CHECK(runtime.block_on(ask_later, "/throws") == 500);
  CHECK(runtime.block_on(ask_later, "/cancelled") == 500);
}

TEST_SUITE_END();
}  // namespace volt::http::server
