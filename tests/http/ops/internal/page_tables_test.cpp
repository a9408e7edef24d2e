// SPDX-License-Identifier: MIT

#include "http/ops/internal/page_tables.h"

#include <doctest/doctest.h>

#include <memory>

#include "http/metrics/metrics.h"
#include "http/ops/internal/percentile.h"
#include "http/server/app.h"
#include "runtime/metric_sink.h"
#include "runtime/runtime.h"
#include "tests/support/engine.h"

namespace volt::http::ops {
namespace {

void report_pools(MetricSink& sink) {
  const auto connections = [&](std::string_view pool, std::string_view state, double count) {
    sink.gauge("volt_cache_connections", "Connections.", {{"pool", pool}, {"state", state}}, count);
  };
  connections("a", "in_use", 3);
  connections("a", "connecting", 1);
  connections("a", "idle", 2);
  connections("b", "idle", 5);
  sink.gauge("volt_cache_connections_max", "Maximum.", {{"pool", "a"}}, 8);
  sink.gauge("volt_cache_waiting_tasks", "Tasks.", {{"pool", "a"}}, 7);
  sink.counter("volt_cache_errors_total", "Errors.", {{"pool", "a"}, {"reason", "connect"}}, 10);
  sink.counter("volt_cache_errors_total", "Errors.", {{"pool", "a"}, {"reason", "timeout"}}, 11);
}

void report_jobs(MetricSink& sink) {
  const auto jobs = [&](std::string_view state, double count) {
    sink.gauge("volt_db_jobs", "Jobs.", {{"queue", "mails"}, {"state", state}}, count);
  };
  jobs("queued", 5);
  jobs("scheduled", 6);
  jobs("dead", 7);
  sink.gauge("volt_db_jobs_oldest_seconds", "Time.", {{"queue", "mails"}}, 1.5);
  sink.gauge("volt_db_jobs_running", "Jobs.", {{"queue", "mails"}}, 2);
  sink.gauge("volt_db_jobs_running", "Jobs.", {{"queue", "idle"}}, 0);
  sink.counter("volt_db_jobs_total", "Attempts.", {{"queue", "mails"}, {"result", "done"}}, 9);
  sink.counter("volt_db_jobs_total", "Attempts.", {{"queue", "mails"}, {"result", "failed"}}, 3);
  sink.counter("volt_db_jobs_total", "Attempts.", {{"queue", "mails"}, {"result", "dead"}}, 1);
}

server::RoutePhases handled(std::uint32_t route, std::size_t bucket, std::uint64_t count) {
  server::RoutePhases phases{.route = route};
  phases.phases[static_cast<std::size_t>(server::Phase::handler)].buckets[bucket] = count;
  return phases;
}

double percentile_of_bucket(std::size_t bucket) {
  DurationCounts counts{};
  counts[bucket] = 1;
  return percentile_seconds(counts, 0.99);
}

}  // namespace

TEST_SUITE_BEGIN("http/ops/internal/page_tables");

TEST_CASE("pools are found by the names of their metrics; the blocking pool is the last one") {
  Runtime runtime(test_options());
  App app;
  app.metrics().add(report_pools);
  const auto server_state = std::make_shared<server::ServerState>(std::move(app), ServerOptions{},
                                                                  runtime.worker_count(), runtime.worker_slots());
  const std::vector<PoolLine> lines = pools({.runtime = runtime, .server_state = server_state});
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].kind == "cache");
  CHECK(lines[0].name == "a");
  CHECK(lines[0].in_use == 4);
  CHECK(lines[0].idle == 2);
  CHECK(lines[0].max == 8);
  CHECK(lines[0].waiting == 7);
  CHECK(lines[0].errors == 21);
  CHECK(lines[1].name == "b");
  CHECK(lines[1].idle == 5);
  CHECK_FALSE(lines[1].max);
  CHECK_FALSE(lines[1].errors);
  CHECK(lines[2].kind == "blocking");
}

TEST_CASE("job queues are found by the names of their metrics") {
  Runtime runtime(test_options());
  App app;
  app.metrics().add(report_jobs);
  const auto server_state = std::make_shared<server::ServerState>(std::move(app), ServerOptions{},
                                                                  runtime.worker_count(), runtime.worker_slots());
  const std::vector<JobQueueLine> lines = job_queues({.runtime = runtime, .server_state = server_state});
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].kind == "db");
  CHECK(lines[0].name == "idle");
  CHECK_FALSE(lines[0].queued);
  CHECK_FALSE(lines[0].oldest_seconds);
  CHECK(lines[1].name == "mails");
  CHECK(lines[1].queued == 5);
  CHECK(lines[1].scheduled == 6);
  CHECK(lines[1].dead == 7);
  CHECK(lines[1].running == 2);
  CHECK(lines[1].failed == 4);
  CHECK(lines[1].oldest_seconds == 1.5);
}

TEST_CASE("phases are those since some calls ago") {
  PhaseWindow window(2);
  const auto handler = [&](std::size_t bucket, std::uint64_t count) {
    return window.add({handled(3, bucket, count)}).at(0).handler;
  };
  CHECK(handler(10, 5) == doctest::Approx(percentile_of_bucket(10)));
  CHECK(handler(10, 6) == doctest::Approx(percentile_of_bucket(10)));
  CHECK(handler(10, 6) == doctest::Approx(percentile_of_bucket(10)));  // one since the first call
  CHECK(handler(10, 6) == 0);                                          // none since the second call
  CHECK(window.add({handled(2, 20, 1), handled(3, 10, 6)}).at(0).route == 2);
}

TEST_SUITE_END();

}  // namespace volt::http::ops
