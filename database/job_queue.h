// SPDX-License-Identifier: MIT

// JobQueue: jobs in a table of a database, which survive the end of the program: pg::JobQueue (pg/job_queue.h) and
// sqlite::JobQueue (sqlite/job_queue.h).
//
// A job is text, such as JSON. Each job is executed at least once: again after an attempt that throws or takes too
// long, and after the end of a process that executes it. So a handler must be able to do its work twice; Job::id is the
// same in each attempt and may be passed on as an idempotency key. Between two attempts the job waits, twice as long
// each time, with a random part. After JobQueueOptions::attempts_max attempts it is dead: it stays in the table with
// its last error, until retry() or a deletion.
//
// A job with a key is pushed once: a further push with that key does nothing while the job waits, runs or is dead, and
// for JobQueueOptions::keep_done after it was done.
//
// Jobs begin in the order of their times. When work() is cancelled, at the end of the server, its jobs are cancelled
// and given back without counting the attempt. A handler that throws Cancelled by itself, because it awaited a task
// that was cancelled, has failed.
//
// Threads: any task of one runtime. Lifetime: a handle to shared state. Errors: those of queries. work() logs them
// (module `pg` or `sqlite`) and goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "database/job.h"
#include "runtime/task.h"

namespace volt {
class MetricSink;
}

namespace volt::database {

class JobStore;
class JobWorker;

class JobQueue {
 public:
  // Creates the table, if it does not exist.
  [[nodiscard]] Task<> make_table() const;

  // Adds a job. Returns false if there is one with this key.
  Task<bool> push(std::string payload, PushOptions options = {}) const;

  // Executes jobs until the task is cancelled.
  [[nodiscard]] Task<> work(std::function<Task<>(Job)> handler) const;

  // Returns dead jobs, the oldest first.
  [[nodiscard]] Task<std::vector<DeadJob>> dead(int limit = 100) const;
  // Gives a dead job all its attempts again. Returns false if there is no such job.
  Task<bool> retry(std::int64_t id) const;

  // Reports, with volt_pg or volt_sqlite in front:
  //   _jobs{queue,state}          jobs in the table, of all processes: queued, scheduled, dead (database/job_store.h)
  //   _jobs_oldest_seconds{queue} how long the first queued job has waited
  //   _jobs_running{queue}        jobs that this process executes
  //   _jobs_total{queue,result}   attempts of this process: done, failed (an attempt that will be repeated), dead or
  //                               lost (done, but given to another process before)
  // The first two come from a process in which work() runs, which counts the jobs every 15 seconds. A queue that the
  // app owns as state reports by itself, and is on the operators' page.
  void report_metrics(MetricSink& sink) const;

 protected:
  // `kind`: of the database, such as `pg`; a literal. Throws std::invalid_argument if jobs_max or attempts_max is less
  // than 1, or a duration negative.
  JobQueue(std::unique_ptr<JobStore> store, std::string_view kind, JobQueueOptions options);

  [[nodiscard]] const std::shared_ptr<JobWorker>& worker() const noexcept { return worker_; }

 private:
  std::shared_ptr<JobWorker> worker_;
};

}  // namespace volt::database
