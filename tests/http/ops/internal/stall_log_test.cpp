// SPDX-License-Identifier: MIT

// Ground truth: which handler is blamed when a worker is stuck, and with how much processor time.
#include "http/ops/internal/stall_log.h"

#include <doctest/doctest.h>

#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "http/middleware/observe.h"
#include "http/ops/ops.h"
#include "http/server/app.h"
#include "runtime/log.h"
#include "runtime/time.h"
#include "tests/http/ops/prometheus_reader.h"
#include "tests/support/engine.h"
#include "tests/support/http_client.h"
#include "tests/support/processor_time.h"
#include "tests/support/sanitizers.h"
#include "tests/support/waiting.h"

namespace volt::http::ops {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::HttpClient;

constexpr auto kLong = 400ms;

// A monitored server, and the lines of its log.
class Fixture {
 public:
  explicit Fixture(bool gives_ids)
      : server_(runtime_, make_app(gives_ids), {.queue_delay_max = 1min}), ops_(runtime_, server_) {
    const auto asked_at = ops_.start(*Address::parse("127.0.0.1:0"));
    REQUIRE(asked_at);
    ops_address_ = *asked_at;
    const auto served_at = server_.listen(*Address::parse("127.0.0.1:0"));
    REQUIRE(served_at);
    address_ = *served_at;
  }

  [[nodiscard]] HttpClient client() const { return HttpClient(address_); }
  [[nodiscard]] std::string get(const std::string& path, const std::string& fields = {}) const {
    return client().ask("GET " + path + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n").body;
  }
  [[nodiscard]] test::PrometheusReader metrics() const {
    HttpClient client(ops_address_);
    return test::PrometheusReader(client.ask("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n").body);
  }
  [[nodiscard]] double stalls(const std::string& route) const {
    return metrics().value("volt_route_stalls_total", {{"http_request_method", "GET"}, {"http_route", route}});
  }
  // Returns the first line of the log that contains the text; waits for it.
  [[nodiscard]] std::string line_with(std::string_view text) {
    std::string found;
    CHECK(eventually([&] {
      const std::scoped_lock lock(lines_->mutex);
      const std::size_t at = lines_->text.find(text);
      if (at == std::string::npos) return false;
      const std::size_t begin = lines_->text.rfind('\n', at) + 1;  // 0 if it is the first line
      found = lines_->text.substr(begin, lines_->text.find('\n', at) - begin);
      return true;
    }));
    return found;
  }
  // Asks until a stall is logged, and returns its line. On a busy machine the watchdog may get no processor in time to
  // see the first one.
  [[nodiscard]] std::string stall_line(const std::string& path, const std::string& answer,
                                       const std::string& fields = {}) {
    CHECK(eventually([&] {
      CHECK(get(path, fields) == answer);
      return logged("handler blocked its worker");
    }));
    return line_with("handler blocked its worker");
  }
  [[nodiscard]] bool logged(std::string_view text) {
    runtime_.log().flush(1s);
    const std::scoped_lock lock(lines_->mutex);
    return lines_->text.find(text) != std::string::npos;
  }

 private:
  struct Lines {
    std::mutex mutex;
    std::string text;
  };

  static App make_app(bool gives_ids) {
    App app;
    if (gives_ids) app.use(request_id());
    app.get("/compute", [] {
      test::compute(kLong);
      return "computed";
    });
    app.get("/block", [] {
      std::this_thread::sleep_for(kLong);
      return "blocked";
    });
    app.get("/await", []() -> Task<std::string> {
      for (int i = 0; i != 5; ++i) co_await sleep_for(80ms);
      co_return "awaited";
    });
    app.get("/await-and-compute", []() -> Task<std::string> {
      co_await sleep_for(10ms);
      test::compute(kLong);
      co_return "computed";
    });
    app.get("/compute-briefly", [] {
      test::compute(3ms);
      return "computed";
    });
    app.get("/quick", [] { return "quick"; });
    return app;
  }

  static RuntimeOptions options(const std::shared_ptr<Lines>& lines) {
    RuntimeOptions options = test_options();
    options.log = std::make_shared<Log>(LogOptions{.format = LogFormat::logfmt, .sink = [lines](std::string_view text) {
                                                     const std::scoped_lock lock(lines->mutex);
                                                     lines->text += text;
                                                   }});
    return options;
  }

  const std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
  Runtime runtime_{options(lines_)};
  Server server_;
  OpsServer ops_;
  Address ops_address_;
  Address address_;
};

double number_after(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  REQUIRE(at != std::string_view::npos);
  return std::stod(std::string(line.substr(at + name.size())));
}

}  // namespace

TEST_SUITE_BEGIN("http/ops/internal/stall_log");

TEST_CASE("a handler that computes is logged with its request and its processor time") {
  Fixture fixture(true);
  const std::string line = fixture.stall_line("/compute", "computed", "X-Request-Id: ann-1\r\n");
  CAPTURE(line);
  CHECK(line.find(" worker=") != std::string::npos);
  CHECK(line.find(" cause=computing method=GET route=/compute request_id=ann-1") != std::string::npos);
  const double cpu_ms = number_after(line, "cpu_ms=");
  // The watchdog sees the turn up to 10 ms late, or later if it is not given a processor itself.
  CHECK(cpu_ms > 0.6 * kLong.count());
  CHECK(cpu_ms < 1.05 * kLong.count());
  CHECK(number_after(line, "duration_ms=") >= cpu_ms - 1);
  // Sanitizers may deliver the signal too late for a sample. stack_sample_test.cpp checks the names.
  CHECK((test::kSanitized || line.find(" stack=\"") != std::string::npos));
  CHECK(line.find("volt::sched::") == std::string::npos);
  // Counted after the line. On a busy machine, not every such stall is certain to be that of a request.
  CHECK(eventually([&] {
    if (fixture.stalls("/compute") != 0) return true;
    CHECK(fixture.get("/compute") == "computed");
    return false;
  }));
}

TEST_CASE("a handler that blocks in the kernel is logged as blocked, nearly without processor time") {
  Fixture fixture(false);
  const std::string line = fixture.stall_line("/block", "blocked");
  CAPTURE(line);
  CHECK(line.find(" cause=blocked method=GET route=/block ") != std::string::npos);
  // With a sanitizer, the handler computes for long before it sleeps, and there may be a stack of that.
  CHECK((test::kSanitized || line.find(" stack=") == std::string::npos));
  CHECK(number_after(line, "cpu_ms=") < 0.1 * kLong.count());
  CHECK(number_after(line, "duration_ms=") > 0.6 * kLong.count());
}

TEST_CASE("a handler that awaits before it computes is charged with the computation") {
  Fixture fixture(true);
  const std::string fields = "X-Request-Id: " + std::string(128, 'x') + "\r\n";
  const std::string line = fixture.stall_line("/await-and-compute", "computed", fields);
  CAPTURE(line);
  CHECK(line.find(" route=/await-and-compute request_id=" + std::string(128, 'x')) != std::string::npos);
}

TEST_CASE("handlers that only await, or compute for a moment, are never blamed for another handler") {
  Fixture fixture(true);
  std::thread awaits([&] { CHECK(fixture.get("/await") == "awaited"); });
  std::thread computes([&] { CHECK(fixture.get("/compute") == "computed"); });
  HttpClient client = fixture.client();
  for (int i = 0; i != 300; ++i) CHECK(client.ask("GET /quick HTTP/1.1\r\nHost: a\r\n\r\n").body == "quick");
  computes.join();
  awaits.join();
  CHECK(fixture.line_with("handler blocked its worker").find("route=/compute") != std::string::npos);
  CHECK(fixture.stalls("/await") == 0);
  // With a sanitizer, a quick request takes milliseconds now and then.
  CHECK(fixture.stalls("/quick") <= (test::kSanitized ? 3 : 0));
  CHECK_FALSE(fixture.logged("route=/await"));
  CHECK_FALSE(fixture.logged("route=/quick"));
}

// The watchdog reports such a stall when its request has often ended: the next one has begun, or its connection is
// closed.
TEST_CASE("stalls of short computations are charged to their route, also if the client closes its connection") {
  Fixture fixture(false);
  for (const bool closes : {true, false}) {
    CAPTURE(closes);
    HttpClient kept = fixture.client();
    for (int i = 0; i != 150; ++i) {
      if (closes) {
        CHECK(fixture.get("/compute-briefly", "Connection: close\r\n") == "computed");
      } else {
        CHECK(kept.ask("GET /compute-briefly HTTP/1.1\r\nHost: a\r\n\r\n").body == "computed");
      }
    }
  }
  const test::PrometheusReader metrics = fixture.metrics();
  CHECK(fixture.stalls("/compute-briefly") > 0);
  // On a busy machine, a stall may be that of a task that opens a connection.
  CHECK(metrics.value("volt_other_stalls_total") * (test::kSanitized ? 5 : 20) <= fixture.stalls("/compute-briefly"));
  CHECK(metrics.value("volt_route_stalls_total") == 0);  // no route
}

TEST_CASE("of pipelined requests the one that computes is blamed") {
  Fixture fixture(false);
  const std::string quick = "GET /quick HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string compute = "GET /compute HTTP/1.1\r\nHost: a\r\n\r\n";
  HttpClient client = fixture.client();
  // On a busy machine, the worker may wait for a processor in the same turn. If that is long, no request is blamed.
  constexpr int kRoundsMax = 20;
  for (int round = 0; round != kRoundsMax && fixture.stalls("/compute") == 0; ++round) {
    client.send(quick + compute + quick);
    for (const char* body : {"quick", "computed", "quick"}) CHECK(client.read().body == body);
  }
  CHECK(fixture.line_with("route=/compute").find("handler blocked its worker") != std::string::npos);
  CHECK(fixture.stalls("/compute") == 1);
  CHECK(fixture.stalls("/quick") == 0);
}

}  // namespace volt::http::ops
