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
// database/job_queue.h says what happens to a job, and has the other functions. Replicas that work on one queue share
// its jobs (FOR UPDATE SKIP LOCKED).
//
// A job that another process pushes is found at the next look at the table (JobQueueOptions::poll). With options for a
// listener, in all processes, push() also sends a notification on the channel `volt_job`, in a transaction at its
// commit, and work() receives it at once on a connection of its own (pg/listener.h):
//   const pg::JobQueue mails(db, {.name = "mails"}, pg::options_from_environment());
// It is not the default, because PostgreSQL commits transactions that notify one after the other, and because poolers
// that assign each transaction to another connection cannot listen. Without the connection, jobs are found by `poll`.
//
// The table `volt_job` may be queried and changed. Its rows: id, queue, key, payload, attempt, run_at (the time of the
// next attempt; of a running job, when it is given to another process), done_at, dead_at, error, created_at.
//
// Threads: any task of one runtime. Lifetime: a handle to shared state. Errors: those of queries (pg/error.h). work()
// logs them (module `pg`) and goes on.
#pragma once

#include <optional>
#include <string>

#include "database/job_queue.h"
#include "pg/options.h"
#include "pg/pool.h"
#include "pg/transaction.h"
#include "runtime/task.h"

namespace volt::pg {

using database::DeadJob;
using database::Job;
using database::JobQueueOptions;
using database::PushOptions;

class JobQueue : public database::JobQueue {
 public:
  // Throws std::invalid_argument if jobs_max or attempts_max is less than 1, or a duration negative.
  explicit JobQueue(Pool pool, JobQueueOptions options = {});
  // Announces jobs to other processes, and listens to theirs; `listener` is for the same database as the pool.
  JobQueue(Pool pool, JobQueueOptions options, PoolOptions listener);

  using database::JobQueue::push;
  // Adds a job that exists if `transaction` is committed. Its commit wakes work() of this process.
  Task<bool> push(const Transaction& transaction, std::string payload, PushOptions options = {}) const;

 private:
  JobQueue(Pool pool, JobQueueOptions options, std::optional<PoolOptions> listener, bool announces);

  bool announces_;
};

}  // namespace volt::pg
