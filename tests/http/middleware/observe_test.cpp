// SPDX-License-Identifier: MIT

#include "http/middleware/observe.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "http/middleware/client_address.h"
#include "http/server/app.h"
#include "http/web/extract.h"
#include "http/web/problem.h"
#include "tests/support/in_process_app.h"

namespace volt::http {
namespace {

using test::InProcessApp;

std::string line_of(const test::AppRequest& question, AccessLogFormat format) {
  std::string lines;
  App app;
  app.use(access_log({.format = format, .sink = [&lines](std::string_view line) { lines += line; }}), request_id());
  app.get("/items/{id}", [] { return "four"; });
  app.get("/gone", [] { return Status::no_content; });
  app.get("/throws", []() -> std::string { throw std::logic_error("decided by the test"); });
  InProcessApp asked(std::move(app));
  static_cast<void>(asked.ask(question));
  return lines;
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_SUITE_BEGIN("http/middleware/observe");

TEST_CASE("a request has the client's id if that is safe to log, else a new id") {
  const struct {
    std::string_view why;
    bool accept;
    FieldsOf fields;
    std::string want;  // empty: a new id
  } cases[] = {
      {"a proxy has set an id", true, {{"X-Request-Id", "a-1"}}, "a-1"},
      {"no id", true, {}, ""},
      {"an id that could break a log line", true, {{"X-Request-Id", "a\"b"}}, ""},
      {"an empty id", true, {{"X-Request-Id", ""}}, ""},
      {"accept_client_id is off", false, {{"X-Request-Id", "a-1"}}, ""},
  };
  for (const auto& [why, accept, fields, want] : cases) {
    CAPTURE(why);
    App app;
    app.use(request_id({.accept_client_id = accept}));
    app.get("/", [](Request& request) { return request.id(); });
    InProcessApp asked(std::move(app));
    const Response response = asked.ask({.fields = fields});
    CHECK(response.header("x-request-id") == response.body());
    CHECK(response.body().size() == (want.empty() ? 36 : want.size()));
    if (!want.empty()) CHECK(response.body() == want);
    if (want.empty()) CHECK(asked.ask({.fields = fields}).body() != response.body());
  }
}

TEST_CASE("problems contain the request's id, and so do responses without a route") {
  App app;
  app.use(request_id());
  InProcessApp asked(std::move(app));
  const Response response = asked.get("/none", {{"X-Request-Id", "a-1"}});
  CHECK(response.body() == R"({"title":"Not Found","status":404,"request_id":"a-1"})");
  CHECK(response.header("X-Request-Id") == "a-1");
  CHECK_THROWS_AS(static_cast<void>(request_id({.header = "no name"})), std::invalid_argument);
}

TEST_CASE("a valid trace continues with a new span, otherwise a new trace begins") {
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const std::string parent = "00-" + trace + "-00f067aa0ba902b7-01";
  const struct {
    std::string_view why;
    FieldsOf fields;
    bool goes_on;
    std::string state;
  } cases[] = {
      {"3.2: a valid traceparent is continued", {{"traceparent", parent}, {"tracestate", "a=1"}}, true, "a=1"},
      {"4.3: no traceparent", {}, false, ""},
      {"3.2.2.3: a trace id of zeros is invalid",
       {{"traceparent", "00-" + std::string(32, '0') + parent.substr(35)}},
       false,
       ""},
      {"4.3: tracestate without traceparent is ignored", {{"tracestate", "a=1"}}, false, ""},
      {"two traceparent fields are invalid", {{"traceparent", parent}, {"traceparent", parent}}, false, ""},
  };
  for (const auto& [why, fields, goes_on, state] : cases) {
    CAPTURE(why);
    App app;
    app.use(trace_context());
    app.get("/", [](From<TraceContext> found) { return found->parent.to_string() + " " + found->state; });
    InProcessApp asked(std::move(app));
    const Response response = asked.ask({.fields = fields});
    const std::string_view body = response.body();
    REQUIRE(body.size() == 56 + state.size());
    CHECK((body.substr(3, 32) == trace) == goes_on);
    CHECK(body.substr(36, 16) != "00f067aa0ba902b7");
    CHECK(body.substr(53, 2) == (goes_on ? "01" : "02"));
    CHECK(body.substr(56) == state);
    CHECK(response.headers().empty());
  }
}

TEST_CASE("a JSON line describes the request and its response") {
  const struct {
    std::string_view why;
    test::AppRequest question;
    std::string want;  // the part of the line between time and duration
  } cases[] = {
      {"a route",
       {.path = "/items/4?secret=1"},
       R"("method":"GET","path":"/items/4","pattern":"/items/{id}","status":200,"bytes":4,)"},
      {"a response to HEAD has no body",
       {.method = Method::head, .path = "/items/4"},
       R"("method":"HEAD","path":"/items/4","pattern":"/items/{id}","status":200,"bytes":0,)"},
      {"a 204 has no body", {.path = "/gone"}, R"("path":"/gone","pattern":"/gone","status":204,"bytes":0,)"},
      {"a handler that throws", {.path = "/throws"}, R"("pattern":"/throws","status":500,"bytes":)"},
      {"no route", {.path = "/none"}, R"("path":"/none","pattern":"","status":404,"bytes":)"},
      {"quotes and controls are escaped",
       {.path = "/a\"},\n{\"b\\\x80"},
       R"("path":"/a\"},\u000a{\"b\\\u0080","pattern")"},
  };
  for (const auto& [why, question, want] : cases) {
    CAPTURE(why);
    const std::string line = line_of(question, AccessLogFormat::structured);
    CAPTURE(line);
    CHECK(holds(line, want));
    CHECK(line.starts_with(R"({"time":"20)"));
    CHECK(holds(line, R"("client":"192.0.2.1","request_id":")"));
    CHECK(line.ends_with("\"}\n"));
    CHECK(line.find('\n') == line.size() - 1);
  }
}

TEST_CASE("a line has the phases of its request") {
  const std::string line = line_of({.path = "/items/4"}, AccessLogFormat::structured);
  CAPTURE(line);
  CHECK(
      holds(line, R"("outcome":"complete","duration_ms":0.000,"queue_ms":0.000,"handler_ms":0.000,"send_ms":0.000,)"));
}

TEST_CASE("a combined line has Apache's format, followed by our fields") {
  const std::string line = line_of({.path = "/items/4?a=b",
                                    .fields = {{"User-Agent", "x\" y\x1b[0m"}, {"X-Request-Id", "a-1"}},
                                    .peer = "[2001:db8::1]:9"},
                                   AccessLogFormat::combined);
  CAPTURE(line);
  CHECK(line.starts_with("2001:db8::1 - - ["));
  CHECK(holds(line, R"( +0000] "GET /items/4?a=b HTTP/1.1" 200 4 "-" "x\" y\u001b[0m" 0.0)"));
  CHECK(line.ends_with(" \"/items/{id}\" \"a-1\" complete\n"));
}

TEST_CASE("a line is complete however long its texts are") {
  const std::string longest(100'000, '"');
  const std::string line = line_of({.path = "/" + longest, .fields = {{"User-Agent", longest}, {"Referer", longest}}},
                                   AccessLogFormat::combined);
  CHECK(line.size() < 4096);
  CHECK(line.ends_with("\" complete\n"));
  const std::string json = line_of({.path = "/" + longest}, AccessLogFormat::structured);
  CHECK(json.ends_with("\"}\n"));
}

TEST_CASE("a sink that throws loses its line and not the request") {
  for (const AccessLogFormat format : {AccessLogFormat::structured, AccessLogFormat::combined}) {
    int lines = 0;
    App app;
    app.use(access_log({.format = format, .sink = [&lines](std::string_view) {
                          ++lines;
                          throw std::runtime_error("decided by the test");
                        }}));
    app.get("/", [] { return "here"; });
    InProcessApp asked(std::move(app));
    for (int i = 0; i != 2; ++i) CHECK(asked.get("/").body() == "here");
    CHECK(lines == 2);
  }
}

TEST_CASE("a line contains the client that trusted proxies report, and the trace") {
  std::string lines;
  App app;
  app.use(access_log({.sink = [&lines](std::string_view line) { lines += line; }}), trust_proxies({"192.0.2.0/24"}),
          trace_context());
  InProcessApp asked(std::move(app));
  static_cast<void>(asked.get("/", {{"X-Forwarded-For", "198.51.100.7"},
                                    {"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}}));
  CHECK(holds(lines, R"("client":"198.51.100.7","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":")"));
}

TEST_SUITE_END();
}  // namespace volt::http
