// SPDX-License-Identifier: MIT

#include "sqlite/job_queue.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "database/job_store.h"
#include "database/job_worker.h"
#include "runtime/wall_clock.h"

namespace volt::sqlite {
namespace {

using database::JobCounts;
using database::NewJob;

// `autoincrement`: the id of a job that was deleted is not given to another one, because it is an idempotency key.
constexpr std::string_view kMakeJobTable =
    "create table if not exists volt_job (id integer primary key autoincrement, queue text not null, key text, "
    "payload text not null, attempt integer not null default 0, run_at integer not null, done_at integer, "
    "dead_at integer, error text, created_at integer not null, unique (queue, key)); "
    "create index if not exists volt_job_to_do on volt_job (queue, run_at, id) "
    "where done_at is null and dead_at is null; "
    "create index if not exists volt_job_dead on volt_job (queue, dead_at, id) where dead_at is not null;";
// Frees the key of a job that was done long ago, whether a cleaning came or not.
constexpr std::string_view kFreeKey = "delete from volt_job where queue = $1 and key = $2 and done_at < $3";
constexpr std::string_view kPush =
    "insert into volt_job (queue, payload, key, run_at, created_at) values ($1, $2, $3, $4, $5) "
    "on conflict (queue, key) do nothing";
constexpr std::string_view kIsDue =
    "select 1 from volt_job where queue = $1 and done_at is null and dead_at is null and run_at <= $2 limit 1";
constexpr std::string_view kClaim =
    "update volt_job set attempt = attempt + 1, run_at = $3 "
    "where id = (select id from volt_job where queue = $1 and done_at is null and dead_at is null and run_at <= $2 "
    "order by run_at, id limit 1) returning id, payload, attempt, key";
// The number of the attempt shows whether the job was given to another process, which has incremented it.
constexpr std::string_view kDone =
    "update volt_job set done_at = $3, error = null where id = $1 and attempt = $2 and done_at is null";
constexpr std::string_view kFailed =
    "update volt_job set run_at = $4, error = $3 where id = $1 and attempt = $2 and done_at is null";
constexpr std::string_view kDead =
    "update volt_job set dead_at = $4, error = $3 where id = $1 and attempt = $2 and done_at is null";
constexpr std::string_view kGiveBack =
    "update volt_job set attempt = attempt - 1, run_at = $3 where id = $1 and attempt = $2 and done_at is null";
constexpr std::string_view kClean = "delete from volt_job where queue = $1 and done_at < $2";
// The conditions are those of the two indexes, so the jobs that are done are not read.
constexpr std::string_view kCount =
    "select (select count(*) from volt_job where queue = $1 and done_at is null and dead_at is null and run_at <= $2), "
    "(select count(*) from volt_job where queue = $1 and done_at is null and dead_at is null and run_at > $2), "
    "(select count(*) from volt_job where queue = $1 and dead_at is not null), "
    "(select coalesce(max($2 - min(run_at), 0), 0) / 1000.0 from volt_job "
    "where queue = $1 and done_at is null and dead_at is null)";
constexpr std::string_view kListDead =
    "select id, payload, key, coalesce(error, '') from volt_job where queue = $1 and dead_at is not null "
    "order by dead_at, id limit $2";
constexpr std::string_view kRetry =
    "update volt_job set dead_at = null, attempt = 0, run_at = $3 where id = $1 and queue = $2 and dead_at is not null";

// Returns the time in `duration`, in milliseconds since 1970.
std::int64_t time_in(std::chrono::milliseconds duration) {
  const auto now = wall_now().time_since_epoch();
  return (std::chrono::duration_cast<std::chrono::milliseconds>(now) + duration).count();
}

std::int64_t current_time() { return time_in(std::chrono::milliseconds(0)); }

template <class Database>
Task<bool> push_to(const Database& database, std::string queue, NewJob job) {
  if (job.key) co_await database.execute(kFreeKey, queue, *job.key, time_in(-job.keep_done));
  const std::uint64_t added =
      co_await database.execute(kPush, queue, job.payload, job.key, time_in(job.delay), current_time());
  co_return added != 0;
}

class SqliteJobs final : public database::JobStore {
 public:
  SqliteJobs(Pool pool, std::string queue) : pool_(std::move(pool)), queue_(std::move(queue)) {}

  Task<> make_table() override { return pool_.script(kMakeJobTable); }

  Task<bool> push(NewJob job) override { return push_to(pool_, queue_, std::move(job)); }

  Task<std::optional<Job>> claim(std::chrono::milliseconds lease) override {
    const auto due = co_await pool_.find<int>(kIsDue, queue_, current_time());  // on a connection that reads
    if (!due) co_return std::nullopt;
    co_return co_await pool_.find<Job>(kClaim, queue_, current_time(), time_in(lease));
  }

  Task<bool> finish(Job job) override {
    const std::uint64_t changed = co_await pool_.execute(kDone, job.id, job.attempt, current_time());
    co_return changed != 0;
  }

  Task<> repeat(Job job, std::string error, std::chrono::milliseconds wait) override {
    co_await pool_.execute(kFailed, job.id, job.attempt, error, time_in(wait));
  }

  Task<> bury(Job job, std::string error) override {
    co_await pool_.execute(kDead, job.id, job.attempt, error, current_time());
  }

  Task<> give_back(Job job) override { co_await pool_.execute(kGiveBack, job.id, job.attempt, current_time()); }

  Task<> delete_done(std::chrono::milliseconds age) override { co_await pool_.execute(kClean, queue_, time_in(-age)); }

  Task<JobCounts> count() override {
    const auto counts = co_await pool_.find<JobCounts>(kCount, queue_, current_time());
    co_return *counts;  // a row without `from` always exists
  }

  Task<std::vector<DeadJob>> dead(int limit) override { return pool_.query<DeadJob>(kListDead, queue_, limit); }

  Task<bool> retry(std::int64_t id) override {
    const std::uint64_t changed = co_await pool_.execute(kRetry, id, queue_, current_time());
    co_return changed != 0;
  }

 private:
  const Pool pool_;
  const std::string queue_;
};

}  // namespace

JobQueue::JobQueue(Pool pool, JobQueueOptions options)
    : database::JobQueue(std::make_unique<SqliteJobs>(std::move(pool), options.name), "sqlite", options) {}

Task<bool> JobQueue::push(const Transaction& transaction, std::string payload, PushOptions options) const {
  NewJob job = worker()->new_job(std::move(payload), std::move(options));
  transaction.after_commit([worker = worker()]() noexcept { worker->notify(); });
  return push_to(transaction, worker()->options().name, std::move(job));
}

}  // namespace volt::sqlite
