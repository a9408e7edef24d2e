// SPDX-License-Identifier: MIT

#include "pg/job_queue.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "database/job_store.h"
#include "database/job_worker.h"
#include "pg/error.h"
#include "pg/listener.h"

namespace volt::pg {
namespace {

using database::JobCounts;
using database::NewJob;

// Programs that start together make the table once.
constexpr std::string_view kMakeJobTable =
    "do $$ begin "
    "perform pg_advisory_xact_lock(hashtext('volt_job')); "
    "create table if not exists volt_job (id bigint generated always as identity primary key, queue text not null, "
    "key text, payload text not null, attempt integer not null default 0, run_at timestamptz not null default now(), "
    "done_at timestamptz, dead_at timestamptz, error text, created_at timestamptz not null default now(), "
    "unique (queue, key)); "
    "create index if not exists volt_job_to_do on volt_job (queue, run_at, id) "
    "where done_at is null and dead_at is null; "
    "create index if not exists volt_job_dead on volt_job (queue, dead_at, id) where dead_at is not null; "
    "end $$";
// Deletes a job that was done so long ago that its key is free, whether a cleaning came or not. The insertion counts
// the deleted rows, so it comes after them. Rejected: `on conflict .. do update`, which would lock the row of a running
// job until the end of the caller's transaction.
constexpr std::string_view kFree =
    "with freed as (delete from volt_job where queue = $1 and key = $3 "
    "and done_at < clock_timestamp() - $5 * interval '1 millisecond' returning id)";
constexpr std::string_view kInsert =
    "insert into volt_job (queue, payload, key, run_at) "
    "select $1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond' where (select count(*) from freed) >= 0 "
    "on conflict (queue, key) do nothing";
constexpr const char* kJobChannel = "volt_job";
// Sent with the insertion, so that a push that has succeeded cannot fail because of it.
constexpr std::string_view kAnnounce = " returning id) select pg_notify('volt_job', $1) from added";
constexpr std::string_view kClaim =
    "update volt_job set attempt = attempt + 1, run_at = clock_timestamp() + $2 * interval '1 millisecond' "
    "where id = (select id from volt_job where queue = $1 and done_at is null and dead_at is null "
    "and run_at <= clock_timestamp() order by run_at, id limit 1 for update skip locked) "
    "returning id, payload, attempt, key";
// The number of the attempt shows whether the job was given to another process, which has incremented it.
constexpr std::string_view kDone =
    "update volt_job set done_at = clock_timestamp(), error = null where id = $1 and attempt = $2 and done_at is null";
constexpr std::string_view kFailed =
    "update volt_job set run_at = clock_timestamp() + $4 * interval '1 millisecond', error = $3 "
    "where id = $1 and attempt = $2 and done_at is null";
constexpr std::string_view kDead =
    "update volt_job set dead_at = clock_timestamp(), error = $3 where id = $1 and attempt = $2 and done_at is null";
constexpr std::string_view kGiveBack =
    "update volt_job set attempt = attempt - 1, run_at = clock_timestamp() "
    "where id = $1 and attempt = $2 and done_at is null";
constexpr std::string_view kClean =
    "delete from volt_job where queue = $1 and done_at < clock_timestamp() - $2 * interval '1 millisecond'";
// The conditions are those of the two indexes, so the jobs that are done are not read.
constexpr std::string_view kCount =
    "select (select count(*) from volt_job where queue = $1 and done_at is null and dead_at is null "
    "and run_at <= clock_timestamp()), "
    "(select count(*) from volt_job where queue = $1 and done_at is null and dead_at is null "
    "and run_at > clock_timestamp()), "
    "(select count(*) from volt_job where queue = $1 and dead_at is not null), "
    "(select coalesce(greatest(extract(epoch from clock_timestamp() - min(run_at)), 0), 0)::float8 from volt_job "
    "where queue = $1 and done_at is null and dead_at is null)";
constexpr std::string_view kListDead =
    "select id, payload, key, coalesce(error, '') from volt_job where queue = $1 and dead_at is not null "
    "order by dead_at, id limit $2";
constexpr std::string_view kRetry =
    "update volt_job set dead_at = null, attempt = 0, run_at = clock_timestamp() "
    "where id = $1 and queue = $2 and dead_at is not null";

double in_ms(std::chrono::milliseconds duration) { return static_cast<double>(duration.count()); }

// Returns whether the database refused a text because it cannot store one of its characters.
bool is_about_characters(const ServerError& error) {
  return error.sqlstate() == "22021" || error.sqlstate() == "22P05";
}

std::string ascii_of(std::string text) {
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

template <class Database>
Task<bool> push_to(const Database& database, std::string queue, NewJob job, bool announces) {
  std::string text(kFree);
  text.append(announces ? ", added as (" : " ").append(kInsert).append(announces ? kAnnounce : "");
  const std::uint64_t added =
      co_await database.execute(text, queue, job.payload, job.key, in_ms(job.delay), in_ms(job.keep_done));
  co_return added != 0;
}

class PostgresJobs final : public database::JobStore {
 public:
  PostgresJobs(Pool pool, std::string queue, std::optional<PoolOptions> listener)
      : pool_(std::move(pool)), queue_(std::move(queue)), listener_(std::move(listener)) {}

  Task<> make_table() override { co_await pool_.execute(kMakeJobTable); }

  Task<bool> push(NewJob job) override { return push_to(pool_, queue_, std::move(job), listener_.has_value()); }

  Task<std::optional<Job>> claim(std::chrono::milliseconds lease) override {
    return pool_.find<Job>(kClaim, queue_, in_ms(lease));
  }

  Task<bool> finish(Job job) override {
    const std::uint64_t changed = co_await pool_.execute(kDone, job.id, job.attempt);
    co_return changed != 0;
  }

  Task<> repeat(Job job, std::string error, std::chrono::milliseconds wait) override {
    const bool stored = co_await try_record(kFailed, job.id, job.attempt, error, in_ms(wait));
    const std::string ascii = ascii_of(std::move(error));
    if (!stored) co_await try_record(kFailed, job.id, job.attempt, ascii, in_ms(wait));
  }

  Task<> bury(Job job, std::string error) override {
    const bool stored = co_await try_record(kDead, job.id, job.attempt, error);
    const std::string ascii = ascii_of(std::move(error));
    if (!stored) co_await try_record(kDead, job.id, job.attempt, ascii);
  }

  Task<> give_back(Job job) override { co_await pool_.execute(kGiveBack, job.id, job.attempt); }

  Task<> delete_done(std::chrono::milliseconds age) override { co_await pool_.execute(kClean, queue_, in_ms(age)); }

  Task<JobCounts> count() override {
    const auto counts = co_await pool_.find<JobCounts>(kCount, queue_);
    co_return *counts;  // a row without `from` always exists
  }

  Task<std::vector<DeadJob>> dead(int limit) override { return pool_.query<DeadJob>(kListDead, queue_, limit); }

  Task<bool> retry(std::int64_t id) override {
    const std::uint64_t changed = co_await pool_.execute(kRetry, id, queue_);
    co_return changed != 0;
  }

  Task<> watch(std::function<void()> wake) override {
    if (!listener_) co_return;
    Listener listener(*listener_, {kJobChannel});
    for (;;) {
      const Notification news = co_await listener.next();
      if (news.gap || news.payload == queue_) wake();
    }
  }

 private:
  // Returns false if the database cannot store a character of the error.
  template <class... Args>
  [[nodiscard]] Task<bool> try_record(std::string_view text, Args... args) {
    try {
      co_await pool_.execute(text, args...);
      co_return true;
    } catch (const ServerError& error) {
      if (!is_about_characters(error)) throw;
    }
    co_return false;
  }

  const Pool pool_;
  const std::string queue_;
  const std::optional<PoolOptions> listener_;  // none: jobs are not announced to other processes
};

}  // namespace

JobQueue::JobQueue(Pool pool, JobQueueOptions options)
    : JobQueue(std::move(pool), std::move(options), std::nullopt, false) {}

JobQueue::JobQueue(Pool pool, JobQueueOptions options, PoolOptions listener)
    : JobQueue(std::move(pool), std::move(options), std::optional(std::move(listener)), true) {}

JobQueue::JobQueue(Pool pool, JobQueueOptions options, std::optional<PoolOptions> listener, bool announces)
    : database::JobQueue(std::make_unique<PostgresJobs>(std::move(pool), options.name, std::move(listener)), "pg",
                         options),
      announces_(announces) {}

Task<bool> JobQueue::push(const Transaction& transaction, std::string payload, PushOptions options) const {
  NewJob job = worker()->new_job(std::move(payload), std::move(options));
  transaction.after_commit([worker = worker()]() noexcept { worker->notify(); });
  return push_to(transaction, worker()->options().name, std::move(job), announces_);
}

}  // namespace volt::pg
