// SPDX-License-Identifier: MIT

#include "http/server/internal/job.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <string_view>

#include "crypto/random.h"
#include "runtime/cancel.h"
#include "runtime/concurrent.h"
#include "runtime/exception_text.h"
#include "runtime/interval.h"
#include "runtime/logger.h"
#include "runtime/time.h"
#include "runtime/wall_clock.h"

namespace volt::http::server {
namespace {

constexpr Logger kJobLog("http");
constexpr std::array<std::string_view, 3> kRunResults = {"ok", "failed", "timeout"};
// A wait for a time of the wall clock looks at that clock again after this time, because the clock may be set.
constexpr auto kBetweenClockReadings = std::chrono::seconds(30);
// A clock that is set back by less is taken for a correction, after which no run is repeated.
constexpr auto kSmallStep = std::chrono::minutes(1);

}  // namespace

Task<> Job::run_every(std::shared_ptr<Job> job, std::chrono::nanoseconds period) {
  Interval due(period);
  if (!job->options_.at_start) due.restart();
  for (;;) {
    co_await due.tick();
    co_await job->run();
    static_cast<void>(due.try_tick());  // skips the times that have passed during the run
  }
}

Task<> Job::run_at(std::shared_ptr<Job> job, Cron cron) {
  if (job->options_.at_start) co_await job->run();
  auto read = wall_now();  // the last reading of the clock
  auto next = cron.next(read);
  while (next) {
    const auto now = wall_now();
    if (now < read - kSmallStep) next = cron.next(now);
    read = now;
    if (!next) co_return;
    const std::chrono::nanoseconds left = *next - now;
    if (left > std::chrono::nanoseconds(0)) {
      co_await sleep_for(std::min<std::chrono::nanoseconds>(left, kBetweenClockReadings));
      continue;
    }
    co_await job->run();
    read = wall_now();
    next = cron.next(read);
  }
}

std::chrono::nanoseconds Job::random_delay() const noexcept {
  if (options_.jitter.count() <= 0) return std::chrono::nanoseconds(0);
  const std::chrono::duration<double, std::nano> delay = options_.jitter * crypto::random_fraction();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(delay);
}

Task<> Job::run() {
  struct Running {
    base::Atomic<bool>& flag;
    ~Running() { flag.store(false, base::relaxed); }  // relaxed: a report
  };
  const std::chrono::nanoseconds delay = random_delay();
  if (delay > std::chrono::nanoseconds(0)) co_await sleep_for(delay);
  running_.store(true, base::relaxed);  // relaxed: a report
  const Running running{running_};
  const auto began = std::chrono::steady_clock::now();
  const Result result = co_await call();
  durations_.record(std::chrono::steady_clock::now() - began);
  runs_[static_cast<std::size_t>(result)].fetch_add(1, base::relaxed);  // relaxed: a report
  if (result != Result::ok) co_return;
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  const auto in_ms = std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count();
  last_success_ms_.store(in_ms, base::relaxed);  // relaxed: a report
}

Task<Job::Result> Job::call() {
  bool timed_out = false;
  try {
    const volt::Result<void> ended = co_await within(options_.timeout, [this] { return function_(); });
    if (ended) co_return Result::ok;
    timed_out = true;
  } catch (const Cancelled&) {  // decided below
  } catch (...) {               // decided: it is logged, and the job runs again at its next time
    const ExceptionText text(std::current_exception());
    kJobLog(LogLevel::error, "a job failed",
            {{"job", options_.name}, {"error", text.message()}, {"type", text.type()}});
    co_return Result::failed;
  }
  if (timed_out) {
    kJobLog(LogLevel::error, "a job took too long, and was cancelled",
            {{"job", options_.name}, {"limit", options_.timeout}});
    co_return Result::timeout;
  }
  co_await yield();  // throws again if this task was cancelled
  kJobLog(LogLevel::error, "a job awaited a task that was cancelled", {{"job", options_.name}});
  co_return Result::failed;
}

void Job::report_metrics(MetricSink& sink) const {
  const std::string_view job = options_.name;
  for (std::size_t i = 0; i != kRunResults.size(); ++i) {
    sink.counter("volt_job_runs_total", "Runs of a job of the app that have ended, by result: ok, failed, timeout.",
                 {{"job", job}, {"result", kRunResults[i]}}, runs_[i].load(base::relaxed));  // relaxed: a report
  }
  durations_.report(sink, "volt_job_seconds", "Time that a run of a job took, in seconds.", {{"job", job}});
  sink.gauge("volt_job_running", "Whether the job runs now.", {{"job", job}},
             running_.load(base::relaxed) ? 1 : 0);  // relaxed: a report
  sink.gauge("volt_job_last_success_timestamp_seconds",
             "When a run of the job last ended without an error, in seconds since 1970; 0 if none has.", {{"job", job}},
             static_cast<double>(last_success_ms_.load(base::relaxed)) / 1000);  // relaxed: a report
}

}  // namespace volt::http::server
