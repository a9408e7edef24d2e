// SPDX-License-Identifier: MIT

// Job: a function of App::every() or App::cron(), what it reports, and the loop that calls it.
//
// Threads: built by one thread; run() by one task; report_metrics() by any thread. Lifetime: shared by the task and the
// app's metrics.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "http/server/jobs.h"
#include "runtime/base/atomic.h"
#include "runtime/cron.h"
#include "runtime/duration_histogram.h"
#include "runtime/metric_sink.h"
#include "runtime/task.h"

namespace volt::http::server {

class Job {
 public:
  Job(std::move_only_function<Task<>()> function, JobOptions options)
      : function_(std::move(function)), options_(std::move(options)) {}

  // Call the function again and again, until the task is cancelled.
  static Task<> run_every(std::shared_ptr<Job> job, std::chrono::nanoseconds period);
  static Task<> run_at(std::shared_ptr<Job> job, Cron cron);

  void report_metrics(MetricSink& sink) const;

 private:
  enum class Result : std::uint8_t { ok, failed, timeout };

  // Calls the function once, after the jitter. Throws Cancelled only.
  [[nodiscard]] Task<> run();
  [[nodiscard]] Task<Result> call();
  [[nodiscard]] std::chrono::nanoseconds random_delay() const noexcept;

  std::move_only_function<Task<>()> function_;
  const JobOptions options_;
  std::array<base::Atomic<std::uint64_t>, 3> runs_{};  // by Result
  base::Atomic<std::int64_t> last_success_ms_{0};      // since 1970; 0: none yet
  base::Atomic<bool> running_{false};
  DurationHistogram durations_;
};

}  // namespace volt::http::server
