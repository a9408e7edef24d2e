// SPDX-License-Identifier: MIT

// JobWorker: what a JobQueue does with the jobs of its store: takes them, calls the handler, records how it ended,
// repeats, buries and deletes.
//
// Threads: any. Lifetime: shared by the handles of the queue and the tasks of work().
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "database/job.h"
#include "database/job_store.h"
#include "runtime/base/atomic.h"
#include "runtime/logger.h"
#include "runtime/metric_sink.h"
#include "runtime/notify.h"
#include "runtime/semaphore.h"
#include "runtime/task.h"

namespace volt::database {

class JobWorker {
 public:
  // Throws std::invalid_argument: JobQueue's constructor.
  JobWorker(std::unique_ptr<JobStore> store, std::string_view kind, JobQueueOptions options);

  // Executes jobs until the task is cancelled.
  static Task<> work(std::shared_ptr<JobWorker> worker, std::function<Task<>(Job)> handler);

  [[nodiscard]] NewJob new_job(std::string payload, PushOptions options) const;
  // Wakes a worker, because there is a new job.
  void notify() noexcept { pushed_.notify_one(); }
  void report_metrics(MetricSink& sink) const;

  [[nodiscard]] JobStore& table() const noexcept { return *store_; }
  [[nodiscard]] const JobQueueOptions& options() const noexcept { return options_; }

 private:
  using Handler = std::shared_ptr<const std::function<Task<>(Job)>>;

  enum class AttemptResult : std::uint8_t { done, failed, dead, lost };
  static constexpr std::array<std::string_view, 4> kAttemptResults = {"done", "failed", "dead", "lost"};

  // Executes one job; holds a permit until the end.
  static Task<> execute(std::shared_ptr<JobWorker> worker, Handler handler, Job job, Semaphore::Permit permit);
  // Wakes a worker for the jobs of other processes.
  static Task<> watch(std::shared_ptr<JobWorker> worker);
  // Counts the jobs and deletes old ones, again and again.
  static Task<> maintain(std::shared_ptr<JobWorker> worker);
  // Returns why the attempt failed; empty if it did not.
  [[nodiscard]] Task<std::string> attempt(Handler handler, Job job) const;
  [[nodiscard]] Task<> record_success(Job job);
  [[nodiscard]] Task<> record_failure(Job job, std::string reason);
  [[nodiscard]] Task<> give_back(Job job) const;
  [[nodiscard]] Task<> clean() const;
  [[nodiscard]] Task<> count_jobs();
  // Returns the next job; waits for one.
  [[nodiscard]] Task<Job> next();
  [[nodiscard]] Task<std::optional<Job>> try_next();
  [[nodiscard]] std::chrono::milliseconds backoff_after(int attempt) const;
  void count(AttemptResult result) noexcept {
    attempts_[static_cast<std::size_t>(result)].fetch_add(1, base::relaxed);  // relaxed: a report
  }

  const std::unique_ptr<JobStore> store_;
  const std::string_view kind_;
  const Logger log_;
  const JobQueueOptions options_;
  Notify pushed_;
  std::array<base::Atomic<std::uint64_t>, kAttemptResults.size()> attempts_{};
  base::Atomic<std::int64_t> running_{0};
  // The last count of the jobs in the table; -1: none yet.
  base::Atomic<std::int64_t> queued_{-1};
  base::Atomic<std::int64_t> scheduled_{0};
  base::Atomic<std::int64_t> dead_{0};
  base::Atomic<std::int64_t> oldest_ms_{0};
};

}  // namespace volt::database
