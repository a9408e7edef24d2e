// SPDX-License-Identifier: MIT

// JobQueue: jobs in a table of PostgreSQL, which survive the end of the program and run on any of its replicas.
//
//   const pg::JobQueue mails(db, {.name = "mails"});
//   app.before_listen([mails] { return mails.make_table(); });
//   app.background([mails] { return mails.work(send_mail); });      // Task<> send_mail(pg::Job job)
//
//   pg::Transaction transaction = co_await db->transaction();
//   co_await transaction.execute("insert into person ..");
//   co_await mails.push(transaction, "{\"to\":\"ann@example.com\"}");   // exists if the transaction is committed
//   co_await transaction.commit();
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
// Replicas that work on one queue share its jobs (FOR UPDATE SKIP LOCKED); jobs begin in the order of their times. When
// work() is cancelled, at the end of the server, its jobs are cancelled and given back without counting the attempt. A
// handler that throws Cancelled by itself, because it awaited a task that was cancelled, has failed.
//
// The table `volt_job` may be queried and changed. Its rows: id, queue, key, payload, attempt, run_at (the time of the
// next attempt; of a running job, when it is given to another process), done_at, dead_at, error, created_at.
//
// Threads: any task of one runtime. Lifetime: a handle to shared state. Errors: those of queries (pg/error.h). work()
// logs them (module `pg`) and goes on.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pg/pool.h"
#include "runtime/task.h"

namespace volt::pg {

// Durations of more than a century count as a century, here and in PushOptions.
struct JobQueueOptions {
  std::string name = "default";  // several queues share one table
  std::size_t jobs_max = 4;      // maximum number of jobs that one work() executes at a time
  int attempts_max = 10;         // maximum number of attempts of one job
  // Maximum time of an attempt, which is cancelled then. The job of a process that has ended is given to another one
  // ten seconds after this time.
  std::chrono::milliseconds timeout = std::chrono::minutes(1);
  // Wait after the first failed attempt. It doubles with each further one, up to backoff_max; up to half of it is
  // random.
  std::chrono::milliseconds backoff_min = std::chrono::seconds(1);
  std::chrono::milliseconds backoff_max = std::chrono::hours(1);
  // Time between two looks at an empty queue. A push() through a copy of the queue in this process is seen at once.
  std::chrono::milliseconds poll = std::chrono::seconds(1);
  std::chrono::milliseconds keep_done = std::chrono::hours(24);  // a done job is deleted after this time
};

struct PushOptions {
  std::string key = {};                                            // empty: none
  std::chrono::milliseconds delay = std::chrono::milliseconds(0);  // before the first attempt
};

struct Job {
  std::int64_t id = 0;
  std::string payload;
  int attempt = 0;  // from 1
  std::optional<std::string> key;
};

struct DeadJob {
  std::int64_t id = 0;
  std::string payload;
  std::optional<std::string> key;
  std::string error;  // of the last attempt
};

class JobQueue {
 public:
  // Throws std::invalid_argument if jobs_max or attempts_max is less than 1, or a duration negative.
  explicit JobQueue(Pool pool, JobQueueOptions options = {});

  // Creates the table, if it does not exist.
  [[nodiscard]] Task<> make_table() const;

  // Adds a job. Returns false if there is one with this key.
  Task<bool> push(std::string payload, PushOptions options = {}) const;
  // Adds a job that exists if `transaction` is committed.
  Task<bool> push(const Transaction& transaction, std::string payload, PushOptions options = {}) const;

  // Executes jobs until the task is cancelled.
  [[nodiscard]] Task<> work(std::function<Task<>(Job)> handler) const;

  // Returns dead jobs, the oldest first.
  [[nodiscard]] Task<std::vector<DeadJob>> dead(int limit = 100) const;
  // Gives a dead job all its attempts again. Returns false if there is no such job.
  Task<bool> retry(std::int64_t id) const;

  // Reports volt_pg_jobs_total{queue,result}, whose result is done, failed (an attempt that will be repeated), dead or
  // lost (done, but given to another process before), and volt_pg_jobs_running{queue}. A queue that the app owns as
  // state reports by itself.
  void report_metrics(MetricSink& sink) const;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace volt::pg
