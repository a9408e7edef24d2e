// SPDX-License-Identifier: MIT

// JobQueue: jobs in a table of the SQLite file, which survive the end of the program.
//
//   const sqlite::JobQueue mails(db, {.name = "mails"});
//   app.before_listen([mails] { return mails.make_table(); });
//   app.background([mails] { return mails.work(send_mail); });      // Task<> send_mail(sqlite::Job job)
//
//   sqlite::Transaction transaction = co_await db->transaction();
//   co_await transaction.execute("insert into person ..");
//   co_await mails.push(transaction, "{\"to\":\"ann@example.com\"}");   // exists if the transaction is committed
//   co_await transaction.commit();
//
// database/job_queue.h says what happens to a job, and has the other functions. SQLite has one writer at a time, so a
// job is taken by one statement that writes; no other program can take it as well. An empty queue is only read. Each
// job is three commits: pushed, taken, done (PoolOptions::synchronous).
//
// The table `volt_job` may be queried and changed. Its rows: id, queue, key, payload, attempt, run_at (the time of the
// next attempt; of a running job, when it is given to another process), done_at, dead_at, error, created_at. Times are
// milliseconds since 1970, by the clock of this program.
//
// Threads: any task of one runtime. Lifetime: a handle to shared state. Errors: those of queries (sqlite/error.h).
// work() logs them (module `sqlite`) and goes on.
#pragma once

#include <string>

#include "database/job_queue.h"
#include "runtime/task.h"
#include "sqlite/pool.h"
#include "sqlite/transaction.h"

namespace volt::sqlite {

using database::DeadJob;
using database::Job;
using database::JobQueueOptions;
using database::PushOptions;

class JobQueue : public database::JobQueue {
 public:
  // Throws std::invalid_argument if jobs_max or attempts_max is less than 1, or a duration negative.
  explicit JobQueue(Pool pool, JobQueueOptions options = {});

  using database::JobQueue::push;
  // Adds a job that exists if `transaction` is committed. Its commit wakes work() of this process.
  Task<bool> push(const Transaction& transaction, std::string payload, PushOptions options = {}) const;
};

}  // namespace volt::sqlite
