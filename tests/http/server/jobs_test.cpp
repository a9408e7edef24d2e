// SPDX-License-Identifier: MIT

#include "http/server/jobs.h"

#include <doctest/doctest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <string>

#include "http/metrics/metrics.h"
#include "http/server/app.h"
#include "http/server/app_hooks.h"
#include "http/server/internal/steps.h"
#include "http/server/server.h"
#include "runtime/metric_sink.h"
#include "runtime/time.h"
#include "runtime/wall_clock.h"
#include "tests/support/manual_clock_runtime.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::ManualClockRuntime;

struct Runs {
  base::Atomic<int> begun{0};
  base::Atomic<int> ended{0};
};

// A job that takes some time, and then throws or not.
Task<> work(std::shared_ptr<Runs> runs, std::chrono::nanoseconds duration, bool throws) {
  struct End {
    Runs& runs;
    ~End() { runs.ended.fetch_add(1); }
  };
  runs->begun.fetch_add(1);
  const End end{*runs};
  co_await sleep_for(duration);
  if (throws) throw std::runtime_error("decided by the test");
}

// Awaits a task that is cancelled, the first time.
Task<> await_cancelled(std::shared_ptr<Runs> runs) {
  if (runs->begun.fetch_add(1) != 0) co_return;
  JoinHandle<void> other = spawn(work, runs, 1h, false);
  other.cancel();
  co_await std::move(other);
}

// Keeps each value by its name and labels: "volt_job_runs_total clean ok".
class Values final : public MetricSink {
 public:
  explicit Values(const MetricRegistry& registry) { registry.report(*this); }

  void take(const Family& family, std::span<const MetricLabel> labels, double value) override {
    std::string key(family.name);
    for (const MetricLabel& label : labels) key.append(" ").append(label.value);
    values_[key] = value;
  }
  void take(const Family&, std::span<const MetricLabel>, const HistogramValue&) override {}

  [[nodiscard]] double at(const std::string& key) const { return values_.at(key); }

 private:
  std::map<std::string, double> values_;
};

}  // namespace

TEST_SUITE_BEGIN("http/server/jobs");

TEST_CASE("a job runs every period, also after it has thrown, and ends with the server") {
  ManualClockRuntime clock;
  const auto runs = std::make_shared<Runs>();
  App app;
  const MetricRegistry& registry = app.metrics();
  app.every(1min, [runs] { return work(runs, 1s, runs->begun.load() == 1); }, {.name = "clean"});
  std::optional<Server> server(std::in_place, clock.runtime, std::move(app));
  clock.runtime.advance_clock(59s);
  CHECK(runs->begun.load() == 0);
  clock.runtime.advance_clock(2s);
  CHECK(runs->begun.load() == 1);
  clock.runtime.advance_clock(2min);
  CHECK(runs->begun.load() == 3);
  CHECK(Values(registry).at("volt_job_runs_total clean failed") == 1);
  clock.runtime.advance_clock(1s);
  CHECK(Values(registry).at("volt_job_runs_total clean ok") == 2);
  CHECK(Values(registry).at("volt_job_running clean") == 0);
  CHECK(Values(registry).at("volt_job_last_success_timestamp_seconds clean") > 1.7e9);
  clock.runtime.advance_clock(58s + 500ms);
  CHECK(Values(registry).at("volt_job_running clean") == 1);
  server.reset();
  clock.settle();
  CHECK(runs->begun.load() == 4);
  CHECK(runs->ended.load() == 4);
  clock.runtime.advance_clock(5min);
  CHECK(runs->begun.load() == 4);
}

TEST_CASE("a job or a step that awaits a task that was cancelled has failed") {
  ManualClockRuntime clock;
  const auto runs = std::make_shared<Runs>();
  App app;
  const MetricRegistry& registry = app.metrics();
  app.every(1min, [runs] { return await_cancelled(runs); }, {.name = "awaits"});
  {
    const Server server(clock.runtime, std::move(app));
    clock.runtime.advance_clock(61s);
    CHECK(Values(registry).at("volt_job_runs_total awaits failed") == 1);
    clock.runtime.advance_clock(60s);
    CHECK(Values(registry).at("volt_job_runs_total awaits ok") == 1);
  }
  const auto hooks = std::make_shared<AppHooks>();
  const auto begun = std::make_shared<Runs>();
  hooks->before_listen.push_back({[begun] { return await_cancelled(begun); }, std::source_location::current()});
  Runtime runtime(test_options());
  std::string error;
  try {
    static_cast<void>(server::run_before_listen(runtime, hooks, {}));
  } catch (const std::runtime_error& failure) {
    error = failure.what();
  }
  CHECK(error.ends_with("): awaited a task that was cancelled"));
}

TEST_CASE("a job does not overlap itself: periods that pass while it runs are skipped") {
  ManualClockRuntime clock;
  const auto runs = std::make_shared<Runs>();
  App app;
  app.every(1min, [runs] { return work(runs, 150s, false); });
  const Server server(clock.runtime, std::move(app));
  clock.runtime.advance_clock(200s);  // begins after 60 s, ends after 210 s
  CHECK(runs->begun.load() == 1);
  clock.runtime.advance_clock(30s);  // the period at 240 s has not come
  CHECK(runs->ended.load() == 1);
  CHECK(runs->begun.load() == 1);
  clock.runtime.advance_clock(11s);
  CHECK(runs->begun.load() == 2);
}

TEST_CASE("a job may run at the start, with a limit and a jitter") {
  ManualClockRuntime clock;
  const auto limited = std::make_shared<Runs>();
  const auto shaken = std::make_shared<Runs>();
  App app;
  const MetricRegistry& registry = app.metrics();
  app.every(1min, [limited] { return work(limited, 1h, false); }, {.name = "slow", .timeout = 5s, .at_start = true});
  app.every(1min, [shaken] { return work(shaken, 0s, false); }, {.jitter = 10s});
  const std::string unnamed = "jobs_test.cpp:" + std::to_string(__LINE__ - 1);
  const Server server(clock.runtime, std::move(app));
  clock.settle();
  CHECK(limited->begun.load() == 1);
  clock.runtime.advance_clock(6s);
  CHECK(limited->ended.load() == 1);
  CHECK(Values(registry).at("volt_job_runs_total slow timeout") == 1);
  clock.runtime.advance_clock(53s);
  CHECK(shaken->begun.load() == 0);
  clock.runtime.advance_clock(12s);
  CHECK(shaken->begun.load() == 1);
  CHECK(Values(registry).at("volt_job_runs_total " + unnamed + " ok") == 1);
}

TEST_CASE("a cron job runs at the times of its expression, by the wall clock") {
  ManualClockRuntime clock;
  const auto runs = std::make_shared<Runs>();
  const auto begin = std::chrono::sys_days(std::chrono::year(2028) / 2 / 28) + 23h + 58min + 30s;
  clock.runtime.block_on([begin]() -> Task<> {
    set_wall_clock(begin);
    co_return;
  });
  App app;
  app.cron("0 0 29 2 *", [runs] { return work(runs, 1s, false); });
  const Server server(clock.runtime, std::move(app));
  clock.runtime.advance_clock(85s);
  CHECK(runs->begun.load() == 0);
  clock.runtime.advance_clock(60s);
  CHECK(runs->begun.load() == 1);
  clock.runtime.advance_clock(600s);
  CHECK(runs->begun.load() == 1);
}

TEST_CASE("a malformed job is a mistake that the constructor of Server reports with its place") {
  const auto mistake_of = [](App app) -> std::string {
    test::ManualClockRuntime clock;
    try {
      const Server server(clock.runtime, std::move(app));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const auto nothing = []() -> Task<> { co_return; };
  const auto place = [](int line) { return "job (jobs_test.cpp:" + std::to_string(line) + "): "; };
  App cron;
  cron.cron("0 25 * * *", nothing);
  const std::string at_cron = place(__LINE__ - 1);
  CHECK(mistake_of(std::move(cron)) == at_cron + "the hour of a cron expression is from 0 to 23, not \"25\"");
  App every;
  every.every(0s, nothing);
  const std::string at_every = place(__LINE__ - 1);
  CHECK(mistake_of(std::move(every)) == at_every + "the period must be positive");
}

TEST_SUITE_END();

}  // namespace volt::http
