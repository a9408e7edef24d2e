// SPDX-License-Identifier: MIT

// The exporter against a collector that answers with prepared bytes. tests/e2e/traces_test.py checks the content of its
// requests.
#include "http/tracing/internal/exporter.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "http/http.h"
#include "http/tracing/otlp.h"
#include "http/tracing/trace_requests.h"
#include "runtime/runtime.h"
#include "tests/support/canned_server.h"
#include "tests/support/engine.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/served_app.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt::http::otlp {
namespace {

using test::CannedServer;
using test::eventually;
using test::ManualClockRuntime;
using test::ServedApp;
using test::Turn;
using tracing::Tracer;
using namespace std::chrono_literals;

constexpr const char* kAccepted = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

std::string refusal(const std::string& status, const std::string& fields = {}) {
  return "HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n" + fields + "\r\n";
}

void finish_spans(Tracer& tracer, int count) {
  for (int i = 0; i != count; ++i) {
    tracing::SpanData span;
    span.name = "span " + std::to_string(i);
    tracer.finish(std::move(span));
  }
}

OtlpOptions options_for(const CannedServer& collector) {
  return {.endpoint = collector.uri("/v1/traces"), .batch_max = 2, .delay = 1h, .timeout = 1h};
}

// An exporter on a runtime with a manual clock.
struct Exporting {
  explicit Exporting(OtlpOptions options, tracing::TracerOptions tracer_options = {})
      : tracer(std::make_shared<Tracer>(std::move(tracer_options))),
        task(manual.runtime.spawn([](std::unique_ptr<Exporter> exporter) -> Task<> { co_await exporter->run(); },
                                  std::make_unique<Exporter>(tracer, std::move(options)))) {}

  // The clock must advance until the last attempts have reached their limit.
  ~Exporting() {
    task.cancel();
    static_cast<void>(eventually([&] { return manual.runtime.advance_clock(1s), task.done(); }));
  }
  Exporting(const Exporting&) = delete;
  Exporting& operator=(const Exporting&) = delete;

  // Advances the clock in steps of a second until the condition holds. Returns the number of steps.
  template <class Condition>
  int steps_until(Condition condition) {
    int steps = 0;
    REQUIRE(eventually([&] {
      if (condition()) return true;
      manual.runtime.advance_clock(1s);
      ++steps;
      return false;
    }));
    return steps;
  }

  ManualClockRuntime manual;
  std::shared_ptr<Tracer> tracer;
  JoinHandle<void> task;
};

}  // namespace

TEST_SUITE_BEGIN("http/tracing/internal/exporter");

TEST_CASE("a partial success has the number of rejected spans, as a text or a number") {
  CHECK(rejected_spans(R"({"partialSuccess":{"rejectedSpans":"2","errorMessage":"no"}})") == 2);
  CHECK(rejected_spans(R"({"partialSuccess":{"rejectedSpans":3}})") == 3);
  CHECK(rejected_spans(R"({"partialSuccess":{}})") == 0);
  for (const char* body :
       {"{}", "", "no JSON", R"({"partialSuccess":null})", R"({"partialSuccess":{"rejectedSpans":{}}})",
        R"({"partialSuccess":{"rejectedSpans":"many"}})"}) {
    CAPTURE(body);
    CHECK(rejected_spans(body) == 0);
  }
}

TEST_CASE("a full batch is sent at once, and a smaller one after the delay") {
  CannedServer collector({Turn{.answer = kAccepted}, Turn{.answer = kAccepted}});
  OtlpOptions options = options_for(collector);
  options.headers = {{"api-key", "secret"}};
  options.delay = 10s;
  Exporting exporting(options);
  finish_spans(*exporting.tracer, 2);
  REQUIRE(eventually([&] { return exporting.tracer->state().exported == 2; }));
  const std::string request = collector.requests().at(0);
  CHECK(request.starts_with("POST /v1/traces HTTP/1.1\r\n"));
  CHECK(request.contains("Content-Type: application/json\r\n"));
  CHECK(request.contains("api-key: secret\r\n"));
  CHECK(request.contains(R"("name":"span 0")"));
  CHECK(request.contains(R"("name":"span 1")"));
  exporting.manual.settle();  // the exporter sends also what is added while it ends the first request
  finish_spans(*exporting.tracer, 1);
  const int steps = exporting.steps_until([&] { return exporting.tracer->state().exported == 3; });
  CHECK(steps >= 9);
  CHECK(collector.connections() == 1);
}

TEST_CASE("a request becomes no larger than its bound by more than a span") {
  CannedServer collector(std::vector<Turn>(2, {.answer = kAccepted}));
  OtlpOptions options = options_for(collector);
  options.body_bytes_max = 1000;
  Exporting exporting(options);
  std::vector<tracing::SpanData> spans(2);
  for (tracing::SpanData& span : spans) {
    span.name = std::string(2000, 'x');
    exporting.tracer->finish(std::move(span));
  }
  REQUIRE(eventually([&] { return exporting.tracer->state().exported == 2; }));
  CHECK(collector.requests().size() == 2);
}

TEST_CASE("a collector that cannot take a batch now gets it again after Retry-After") {
  for (const char* status : {"429 Too Many Requests", "502 Bad Gateway", "503 Unavailable", "504 Gateway Timeout"}) {
    CAPTURE(status);
    CannedServer collector({Turn{.answer = refusal(status, "Retry-After: 7\r\n")}, Turn{.answer = kAccepted}});
    Exporting exporting(options_for(collector));
    finish_spans(*exporting.tracer, 2);
    REQUIRE(eventually([&] { return collector.requests().size() == 1; }));
    const int steps = exporting.steps_until([&] { return exporting.tracer->state().exported == 2; });
    CHECK(steps >= 7);
    CHECK(collector.requests().at(0) == collector.requests().at(1));
    CHECK(exporting.tracer->state().dropped == 0);
  }
}

TEST_CASE("the pause doubles up to its bound, and after the last attempt the batch is dropped") {
  CannedServer collector(std::vector<Turn>(6, {.answer = refusal("503 Unavailable", "Retry-After: 3600\r\n")}));
  OtlpOptions options = options_for(collector);
  options.attempts_max = 3;
  options.backoff_max = 20s;
  Exporting exporting(options);
  finish_spans(*exporting.tracer, 3);
  REQUIRE(eventually([&] { return collector.requests().size() == 1; }));
  const int steps = exporting.steps_until([&] { return exporting.tracer->state().dropped == 2; });
  CHECK(steps >= 40);  // two pauses
  CHECK(collector.requests().size() >= 3);
  CHECK(exporting.tracer->state().exported == 0);
}

TEST_CASE("a collector that refuses a batch does not get it again") {
  CannedServer collector({Turn{.answer = refusal("400 Bad Request")}, Turn{.answer = kAccepted}});
  Exporting exporting(options_for(collector));
  finish_spans(*exporting.tracer, 2);
  REQUIRE(eventually([&] { return exporting.tracer->state().dropped == 2; }));
  finish_spans(*exporting.tracer, 2);
  REQUIRE(eventually([&] { return exporting.tracer->state().exported == 2; }));
  CHECK(collector.requests().size() == 2);
}

TEST_CASE("spans that the collector rejects count as dropped") {
  const std::string body = R"({"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}})";
  CannedServer collector(
      {Turn{.answer = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body}});
  Exporting exporting(options_for(collector));
  finish_spans(*exporting.tracer, 2);
  REQUIRE(eventually([&] { return exporting.tracer->state().exported == 1; }));
  CHECK(exporting.tracer->state().dropped == 1);
}

TEST_CASE("without a collector the queue fills, and spans are dropped and counted") {
  std::string gone;
  {
    const CannedServer closed({});
    gone = closed.uri("/v1/traces");
  }
  Exporting exporting({.endpoint = gone, .batch_max = 2, .attempts_max = 2}, {.queue_max = 4});
  finish_spans(*exporting.tracer, 2);
  static_cast<void>(exporting.steps_until([&] { return exporting.tracer->state().dropped == 2; }));
  finish_spans(*exporting.tracer, 20);
  CHECK(exporting.tracer->state().dropped >= 14);
  CHECK(exporting.tracer->state().waiting <= 4);
}

TEST_CASE("a server that stops sends what is left") {
  CannedServer collector({Turn{.answer = kAccepted}});
  const auto tracer = std::make_shared<Tracer>();
  {
    App app;
    app.use(trace_requests(tracer));
    app.get("/", [] { return "hello"; });
    OtlpOptions options = options_for(collector);
    options.batch_max = 1000;
    options.shutdown_timeout = 20s;
    app.background(export_traces(tracer, options));
    ServedApp served(std::move(app));
    const test::Descriptor socket = test::connect_to(served.address());
    test::send_all(socket.get(), "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(test::receive_exactly(socket.get(), 12) == "HTTP/1.1 200");
    REQUIRE(eventually([&] { return tracer->state().recorded == 1; }));
    CHECK(collector.requests().empty());
  }
  CHECK(tracer->state().exported == 1);
  REQUIRE(collector.requests().size() == 1);
  CHECK(collector.requests()[0].contains(R"("name":"GET /")"));
}

TEST_CASE("a server that stops waits for a silent collector no longer than its limit") {
  CannedServer collector({});
  const auto tracer = std::make_shared<Tracer>();
  {
    Runtime runtime(test_options());
    OtlpOptions options = options_for(collector);
    options.shutdown_timeout = 50ms;
    auto exporter = runtime.spawn([](std::unique_ptr<Exporter> made) -> Task<> { co_await made->run(); },
                                  std::make_unique<Exporter>(tracer, options));
    finish_spans(*tracer, 3);
    REQUIRE(eventually([&] { return collector.requests().size() == 1; }));
    exporter.cancel();
    REQUIRE(eventually([&] { return exporter.done(); }));
  }
  CHECK(tracer->state().dropped == 3);
  CHECK(tracer->state().waiting == 0);
}

TEST_CASE("options that cannot work are refused") {
  const auto tracer = std::make_shared<Tracer>();
  const OtlpOptions refused[] = {{.endpoint = "collector:4318"},
                                 {.endpoint = "https://collector/v1/traces"},
                                 {.headers = {{"a b", "c"}}},
                                 {.headers = {{"a", "b\n"}}},
                                 {.batch_max = 0},
                                 {.attempts_max = 0},
                                 {.backoff_min = 0s}};
  for (const OtlpOptions& options : refused) {
    CHECK_THROWS_AS(static_cast<void>(export_traces(tracer, options)), std::invalid_argument);
  }
  CHECK_THROWS_AS(static_cast<void>(export_traces(nullptr, {})), std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace volt::http::otlp
