#include "http/metrics.h"

#include <doctest/doctest.h>

#include <string>

#include "http/app.h"
#include "http/extract.h"
#include "runtime/concurrent.h"
#include "tests/support/asked.h"

namespace volt::http {
namespace {

using test::AskedApp;

App counted(const Metrics& metrics) {
  App app;
  app.use(record_metrics(metrics));
  app.get("/items/{id}", [metrics](Path<std::string> id) {
    return *id == "active" ? std::to_string(metrics.snapshot().active_requests) : *id;
  });
  app.post("/items/{id}", [] { return Status::conflict; });
  return app;
}

bool holds(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

TEST_SUITE_BEGIN("http/metrics");

TEST_CASE("requests are counted by method, pattern and class of status") {
  const Metrics metrics;
  AskedApp asked(counted(metrics));
  for (const char* path : {"/items/a", "/items/b", "/none", "/also/none"}) static_cast<void>(asked.get(path));
  static_cast<void>(asked.ask({.method = Method::post, .path = "/items/a"}));
  const MetricsSnapshot now = metrics.snapshot();
  const struct {
    std::string_view why;
    Method method;
    std::string pattern;
    unsigned status_class;
    std::uint64_t count;
  } cases[] = {
      {"no route: one series, whatever the path", Method::get, "", 4, 2},
      {"a route", Method::get, "/items/{id}", 2, 2},
      {"another method and class", Method::post, "/items/{id}", 4, 1},
  };
  REQUIRE(now.durations.size() == std::size(cases));
  for (std::size_t i = 0; i != std::size(cases); ++i) {
    CAPTURE(cases[i].why);
    CHECK(now.durations[i].method == cases[i].method);
    CHECK(now.durations[i].pattern == cases[i].pattern);
    CHECK(now.durations[i].status_class == cases[i].status_class);
    CHECK(now.durations[i].count() == cases[i].count);
    CHECK(now.durations[i].sum.count() > 0);
  }
}

TEST_CASE("a request is active while it is answered, and not after") {
  const Metrics metrics;
  AskedApp asked(counted(metrics));
  CHECK(asked.get("/items/active").body() == "1");
  CHECK(metrics.snapshot().active_requests == 0);
}

TEST_CASE("the text is Prometheus', its buckets cumulative and its labels escaped") {
  const Metrics metrics;
  App app;
  app.use(record_metrics(metrics));
  app.get("/a\"b", [] { return ""; });
  AskedApp asked(std::move(app));
  static_cast<void>(asked.get("/a\"b"));
  const std::string text = metrics.to_prometheus();
  CAPTURE(text);
  const std::string labels = R"({http_request_method="GET",http_route="/a\"b",http_response_status_class="2xx")";
  CHECK(holds(text, "# TYPE http_server_active_requests gauge\nhttp_server_active_requests 0\n"));
  CHECK(holds(text, "# TYPE http_server_request_duration_seconds histogram\n"));
  CHECK(holds(text, "\nhttp_server_request_duration_seconds_bucket" + labels + ",le=\"0.005\"} "));
  CHECK(holds(text, "\nhttp_server_request_duration_seconds_bucket" + labels + ",le=\"10\"} 1\n"));
  CHECK(holds(text, "\nhttp_server_request_duration_seconds_bucket" + labels + ",le=\"+Inf\"} 1\n"));
  CHECK(holds(text, "\nhttp_server_request_duration_seconds_count" + labels + "} 1\n"));
  CHECK(text.ends_with("\n"));
  CHECK(metrics.to_response().content_type() == "text/plain; version=0.0.4; charset=utf-8");
}

TEST_CASE("nothing is lost when all workers count and somebody looks") {
  constexpr int kTasks = 4;
  constexpr int kRounds = 200;
  const Metrics metrics;
  AskedApp asked(counted(metrics), test_options(4));
  const auto ask_often = [&]() -> Task<> {
    for (int i = 0; i != kRounds; ++i) {
      const test::Question question{.path = "/items/a"};
      auto answering = asked.answer(question);
      const Response response = co_await std::move(answering);
      if (i % 50 == 0) static_cast<void>(metrics.snapshot());
      co_await yield();
    }
  };
  asked.runtime().block_on([&] { return all(ask_often, ask_often, ask_often, ask_often); });
  const MetricsSnapshot now = metrics.snapshot();
  REQUIRE(now.durations.size() == 1);
  CHECK(now.durations[0].count() == kTasks * kRounds);
  CHECK(now.active_requests == 0);
}

TEST_SUITE_END();
}  // namespace volt::http
