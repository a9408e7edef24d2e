// SPDX-License-Identifier: MIT

#include "http/tracing/trace_requests.h"

#include <doctest/doctest.h>

#include <map>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "http/client/client.h"
#include "http/http.h"
#include "http/message/trace_context.h"
#include "http/testing/test_client.h"
#include "http/web/stream.h"
#include "tests/support/canned_server.h"
#include "tests/support/engine.h"
#include "tests/support/fetched.h"
#include "tests/support/served_app.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"
#include "tracing/span.h"

namespace volt::http {
namespace {

using message::TraceParent;
using test::CannedServer;
using test::ServedApp;
using test::Turn;
using tracing::SpanData;
using tracing::SpanKind;
using tracing::SpanStatus;
using tracing::Tracer;

constexpr std::string_view kSampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
constexpr std::string_view kUnsampled = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
constexpr std::string_view kTraceId = "4bf92f3577b34da6a3ce929d0e0e4736";

std::shared_ptr<Tracer> make_tracer(double ratio = 1) {
  return std::make_shared<Tracer>(tracing::TracerOptions{.sampling = {.ratio = ratio}});
}

TestClientOptions options() { return {.io = test_engine() == io::Engine::uring ? IoEngine::uring : IoEngine::epoll}; }

std::string text_of(const tracing::StoredAttribute::Value& value) {
  return std::visit(
      [](const auto& it) -> std::string {
        if constexpr (std::is_same_v<decltype(it), const std::string&>) {
          return it;
        } else {
          return std::to_string(it);
        }
      },
      value);
}

std::map<std::string, std::string> attributes_of(const SpanData& span) {
  std::map<std::string, std::string> attributes;
  for (const auto& [key, value] : span.attributes) attributes[key] = text_of(value);
  return attributes;
}

// The spans of which the last one is that of the request: it ends last. Waits for it, because the client may have the
// response before.
std::vector<SpanData> spans_of(Tracer& tracer, std::size_t count) {
  REQUIRE(test::eventually([&] { return tracer.state().waiting >= count; }));
  return tracer.take(1000);
}

std::string hex_of(const tracing::SpanContext& context) {
  return TraceParent{.trace_id = context.trace_id, .span_id = context.span_id}.trace_id_text();
}

Task<std::string> relay(std::string uri) {
  tracing::current_span()->set({"user.plan", "free"});
  tracing::Span span("ask the other");
  HttpClient client({.redirects_max = 1});
  ClientRequest request(Method::get, uri);
  request.header("traceparent", kUnsampled);  // is replaced
  co_return co_await test::fetch(client, std::move(request));
}

// The value of a field in the bytes of a request; empty if it has none.
std::string field_of(std::string_view request, std::string_view name) {
  const std::string begin = "\r\n" + std::string(name) + ": ";
  const std::size_t at = request.find(begin);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = request.substr(at + begin.size());
  return std::string(rest.substr(0, rest.find("\r\n")));
}

constexpr const char* kNoContent = "HTTP/1.1 204 No Content\r\n\r\n";

}  // namespace

TEST_SUITE_BEGIN("http/tracing/trace_requests");

TEST_CASE("a request's span has the name and the attributes of the conventions") {
  const auto tracer = make_tracer();
  App app;
  app.use(trace_requests(tracer, {.query = true}));
  app.get("/items/{id}", [](Path<int> id) { return "item " + std::to_string(*id); });
  TestClient client(std::move(app), options());
  const auto response =
      client.get("/items/7?a=b").header("Host", "example.org:8080").header("User-Agent", "test/1").send();
  CHECK(response.status() == 200);
  const auto spans = spans_of(*tracer, 1);
  REQUIRE(spans.size() == 1);
  CHECK(spans[0].name == "GET /items/{id}");
  CHECK(spans[0].kind == SpanKind::server);
  CHECK_FALSE(spans[0].parent);
  CHECK(spans[0].status == SpanStatus::unset);
  CHECK(spans[0].end >= spans[0].start);
  const std::map<std::string, std::string> want = {{"http.request.method", "GET"},
                                                   {"http.route", "/items/{id}"},
                                                   {"url.scheme", "http"},
                                                   {"url.path", "/items/7"},
                                                   {"url.query", "a=b"},
                                                   {"server.address", "example.org"},
                                                   {"server.port", "8080"},
                                                   {"user_agent.original", "test/1"},
                                                   {"network.protocol.version", "1.1"},
                                                   {"http.response.status_code", "200"},
                                                   {"http.response.body.size", "6"}};
  CHECK(attributes_of(spans[0]) == want);
}

TEST_CASE("a trace is continued if traceparent is valid, and recorded if the client records it") {
  struct Case {
    std::string_view why;
    double ratio;
    std::string_view traceparent;
    bool recorded;
    bool continued;
  };
  const Case cases[] = {
      {"no field, everything is recorded", 1, "", true, false},
      {"no field, nothing is recorded", 0, "", false, false},
      {"the client records", 0, kSampled, true, true},
      {"the client does not record", 1, kUnsampled, false, true},
      {"a malformed field is ignored", 1, "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-00", true, false},
  };
  for (const Case& it : cases) {
    CAPTURE(it.why);
    const auto tracer = make_tracer(it.ratio);
    App app;
    app.use(trace_requests(tracer));
    app.get("/", [] { return TraceParent{.trace_id = tracing::current_span()->context().trace_id}.trace_id_text(); });
    TestClient client(std::move(app), options());
    auto request = client.get("/");
    if (!it.traceparent.empty()) request.header("traceparent", it.traceparent);
    request.header("tracestate", "vendor=1");
    const auto response = request.send();
    CHECK((response.body() == kTraceId) == it.continued);
    client.clock().settle();
    const auto spans = tracer->take(10);
    REQUIRE(spans.size() == (it.recorded ? 1 : 0));
    if (!it.recorded) continue;
    CHECK(hex_of(spans[0].context) == response.body());
    CHECK(spans[0].parent.has_value() == it.continued);
    CHECK(spans[0].parent_is_remote == it.continued);
    CHECK(spans[0].trace_state == (it.continued ? "vendor=1" : ""));
    if (it.continued) CHECK(*spans[0].parent == TraceParent::parse(kSampled)->span_id);
  }
}

TEST_CASE("the status says whether the server failed, and an exception is an event") {
  const auto tracer = make_tracer();
  App app;
  app.use(trace_requests(tracer));
  app.get("/absent", [] { return Status::not_found; });
  app.get("/full", [] { return Status::service_unavailable; });
  app.get("/throws", []() -> std::string { throw std::logic_error("decided by the test"); });
  TestClient client(std::move(app), options());
  struct Case {
    const char* path;
    SpanStatus status;
    const char* error_type;
    std::size_t events;
  };
  const Case cases[] = {{"/absent", SpanStatus::unset, "", 0},
                        {"/no/route", SpanStatus::unset, "", 0},
                        {"/full", SpanStatus::error, "503", 0},
                        {"/throws", SpanStatus::error, "500", 1}};
  for (const Case& it : cases) {
    CAPTURE(it.path);
    static_cast<void>(client.get(it.path).send());
    const auto spans = spans_of(*tracer, 1);
    REQUIRE(spans.size() == 1);
    auto attributes = attributes_of(spans[0]);
    CHECK(spans[0].status == it.status);
    CHECK(attributes["error.type"] == it.error_type);
    REQUIRE(spans[0].events.size() == it.events);
    if (it.events == 0) continue;
    CHECK(spans[0].events[0].name == "exception");
    REQUIRE(spans[0].events[0].attributes.size() == 2);
    CHECK(text_of(spans[0].events[0].attributes[0].value) == "std::logic_error");
    CHECK(text_of(spans[0].events[0].attributes[1].value) == "decided by the test");
  }
}

TEST_CASE("a span ends with the exchange, and says that the client has disconnected") {
  const auto tracer = make_tracer();
  App app;
  app.use(trace_requests(tracer));
  app.get("/endless", [] {
    return http::stream("text/plain", [](BodyWriter& out) -> Task<> {
      const std::string piece(64 * 1024, 'x');
      for (;;) co_await out.write(piece);
    });
  });
  ServedApp served(std::move(app));
  {
    const test::Descriptor socket = test::connect_to(served.address());
    test::send_all(socket.get(), "GET /endless HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(test::receive_exactly(socket.get(), 1).size() == 1);
    CHECK(tracer->state().recorded == 0);
  }
  const auto spans = spans_of(*tracer, 1);
  REQUIRE(spans.size() == 1);
  CHECK(spans[0].status == SpanStatus::error);
  CHECK(attributes_of(spans[0])["error.type"] == "disconnected");
  CHECK(attributes_of(spans[0])["http.response.status_code"] == "200");
}

TEST_CASE("spans of a handler, and the requests that it sends, are children of the request's span") {
  CannedServer other({Turn{.answer = "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"},
                      Turn{.answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", .closes = true}});
  const auto tracer = make_tracer();
  App app;
  app.use(trace_requests(tracer));
  app.get("/", [uri = other.uri("/a?secret=1")] { return relay(uri); });
  TestClient client(std::move(app), options());
  auto response = client.get("/").header("tracestate", "vendor=1").header("traceparent", kSampled).send();
  CHECK(response.body() == "404 ");
  const auto spans = spans_of(*tracer, 4);
  REQUIRE(spans.size() == 4);
  const SpanData& first = spans[0];
  const SpanData& second = spans[1];
  const SpanData& handler = spans[2];
  const SpanData& request = spans[3];
  CHECK(request.name == "GET /");
  CHECK(attributes_of(request)["user.plan"] == "free");
  CHECK(handler.name == "ask the other");
  CHECK(handler.parent == request.context.span_id);
  for (const SpanData* sent : {&first, &second}) {
    CHECK(sent->name == "GET");
    CHECK(sent->kind == SpanKind::client);
    CHECK(sent->parent == handler.context.span_id);
    CHECK(sent->context.trace_id == request.context.trace_id);
    CHECK(sent->trace_state == "vendor=1");
  }
  const std::string port = attributes_of(first)["server.port"];
  const std::map<std::string, std::string> want = {{"http.request.method", "GET"},
                                                   {"server.address", "127.0.0.1"},
                                                   {"server.port", port},
                                                   {"url.full", "http://127.0.0.1:" + port + "/a"},
                                                   {"http.response.status_code", "302"}};
  CHECK(attributes_of(first) == want);
  CHECK(first.status == SpanStatus::unset);
  CHECK(second.status == SpanStatus::error);
  CHECK(attributes_of(second)["error.type"] == "404");
  const auto requests = other.requests();
  REQUIRE(requests.size() == 2);
  for (std::size_t i = 0; i != 2; ++i) {
    const auto sent = TraceParent::parse(field_of(requests[i], "traceparent"));
    REQUIRE(sent);
    CHECK(sent->trace_id_text() == kTraceId);
    CHECK(sent->span_id == spans[i].context.span_id);
    CHECK(sent->sampled);
    CHECK(field_of(requests[i], "tracestate") == "vendor=1");
  }
}

TEST_CASE("a trace that is not sampled is passed on, and records nothing") {
  CannedServer other({Turn{.answer = kNoContent, .closes = true}});
  const auto tracer = make_tracer();
  App app;
  app.use(trace_requests(tracer));
  app.get("/", [uri = other.uri()] { return relay(uri); });
  TestClient client(std::move(app), options());
  CHECK(client.get("/").header("traceparent", kUnsampled).send().body() == "204 ");
  REQUIRE(other.requests().size() == 1);
  const auto sent = TraceParent::parse(field_of(other.requests()[0], "traceparent"));
  REQUIRE(sent);
  CHECK(sent->trace_id_text() == kTraceId);
  CHECK(sent->span_id != TraceParent::parse(kUnsampled)->span_id);
  CHECK_FALSE(sent->sampled);
  CHECK(field_of(other.requests()[0], "tracestate").empty());
  client.clock().settle();
  CHECK(tracer->state().recorded == 0);
}

TEST_CASE("without a current span the client sends the fields that the program has set, and only those") {
  CannedServer other({Turn{.answer = kNoContent, .closes = true}, Turn{.answer = kNoContent, .closes = true}});
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    HttpClient client;
    ClientRequest request(Method::get, other.uri());
    request.header("traceparent", kUnsampled);
    const std::string first = co_await test::fetch(client, std::move(request));
    const std::string second = co_await test::fetch(client, ClientRequest(Method::get, other.uri()));
    CHECK(first == "204 ");
    CHECK(second == "204 ");
  });
  CHECK(field_of(other.requests().at(0), "traceparent") == kUnsampled);
  CHECK(field_of(other.requests().at(1), "traceparent").empty());
}

TEST_CASE("a request that fails has the error in its span") {
  const auto tracer = make_tracer();
  std::string closed;
  {
    const CannedServer gone({});
    closed = gone.uri();
  }
  App app;
  app.use(trace_requests(tracer));
  app.get("/", [closed] { return relay(closed); });
  TestClient client(std::move(app), options());
  static_cast<void>(client.get("/").send());
  const auto spans = spans_of(*tracer, 3);
  REQUIRE(spans.size() == 3);
  CHECK(spans[0].kind == SpanKind::client);
  CHECK(spans[0].status == SpanStatus::error);
  CHECK(attributes_of(spans[0])["error.type"] == std::make_error_code(std::errc::connection_refused).message());
}

TEST_CASE("the line of a sampled request has the ids of its span") {
  const auto tracer = make_tracer();
  std::string lines;
  App app;
  app.use(access_log({.sink = [&lines](std::string_view line) { lines += line; }}), trace_requests(tracer));
  app.get("/", [] { return "a"; });
  {
    TestClient client(std::move(app), options());
    static_cast<void>(client.get("/").header("traceparent", kSampled).send());
    const auto spans = spans_of(*tracer, 1);
    REQUIRE(spans.size() == 1);
    const TraceParent span{.trace_id = spans[0].context.trace_id, .span_id = spans[0].context.span_id};
    client.clock().settle();
    CHECK(lines.contains(kTraceId));
    CHECK(lines.contains(span.span_id_text()));
  }
}

TEST_CASE("a middleware without a tracer is refused") {
  CHECK_THROWS_AS(static_cast<void>(trace_requests(nullptr)), std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace volt::http
