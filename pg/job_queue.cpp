// SPDX-License-Identifier: MIT

#include "pg/job_queue.h"

#include <algorithm>
#include <array>
#include <exception>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "pg/error.h"
#include "runtime/base/atomic.h"
#include "runtime/cancel.h"
#include "runtime/concurrent.h"
#include "runtime/deadline.h"
#include "runtime/exception_text.h"
#include "runtime/logger.h"
#include "runtime/metric_sink.h"
#include "runtime/notify.h"
#include "runtime/scope.h"
#include "runtime/select.h"
#include "runtime/semaphore.h"
#include "runtime/time.h"

namespace volt::pg {
namespace {

constexpr Logger kQueueLog("pg");
constexpr auto kGrace = std::chrono::seconds(10);  // for the end of an attempt that is cancelled
constexpr auto kBetweenCleanings = std::chrono::minutes(1);

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
    "end $$";
// Deletes a job that was done so long ago that its key is free, whether a cleaning came or not. The insertion counts
// the deleted rows, so it comes after them. Rejected: `on conflict .. do update`, which would lock the row of a running
// job until the end of the caller's transaction.
constexpr std::string_view kPush =
    "with freed as (delete from volt_job where queue = $1 and key = $3 "
    "and done_at < clock_timestamp() - $5 * interval '1 millisecond' returning id) "
    "insert into volt_job (queue, payload, key, run_at) "
    "select $1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond' where (select count(*) from freed) >= 0 "
    "on conflict (queue, key) do nothing";
constexpr std::string_view kClaim =
    "update volt_job set attempt = attempt + 1, run_at = clock_timestamp() + $2 * interval '1 millisecond' "
    "where id = (select id from volt_job where queue = $1 and done_at is null and dead_at is null "
    "and run_at <= clock_timestamp() order by run_at, id limit 1 for update skip locked) "
    "returning id, payload, attempt, key";
// The number of the attempt shows whether the job was given to another process, which has incremented it.
constexpr std::string_view kDone =
    "update volt_job set done_at = clock_timestamp(), error = null where id = $1 and attempt = $2 and done_at is null";
constexpr std::string_view kFailed =
    "update volt_job set run_at = clock_timestamp() + $4 * (0.5 + random() / 2) * interval '1 millisecond', "
    "error = $3 where id = $1 and attempt = $2 and done_at is null";
constexpr std::string_view kDead =
    "update volt_job set dead_at = clock_timestamp(), error = $3 where id = $1 and attempt = $2 and done_at is null";
constexpr std::string_view kGiveBack =
    "update volt_job set attempt = attempt - 1, run_at = clock_timestamp() "
    "where id = $1 and attempt = $2 and done_at is null";
constexpr std::string_view kClean =
    "delete from volt_job where queue = $1 and done_at < clock_timestamp() - $2 * interval '1 millisecond'";
constexpr std::string_view kListDead =
    "select id, payload, key, coalesce(error, '') from volt_job where queue = $1 and dead_at is not null "
    "order by dead_at, id limit $2";
constexpr std::string_view kRetry =
    "update volt_job set dead_at = null, attempt = 0, run_at = clock_timestamp() "
    "where id = $1 and queue = $2 and dead_at is not null";

enum class AttemptResult : std::uint8_t { done, failed, dead, lost };
constexpr std::array<std::string_view, 4> kAttemptResults = {"done", "failed", "dead", "lost"};

double in_ms(std::chrono::milliseconds duration) { return static_cast<double>(duration.count()); }

// Longer times would overflow in the arithmetic of this program, or of the server.
constexpr std::chrono::milliseconds kDurationMax = std::chrono::days(36'525);

JobQueueOptions checked(JobQueueOptions options) {
  if (options.jobs_max == 0 || options.attempts_max < 1) {
    throw std::invalid_argument("jobs_max and attempts_max of a queue must be at least 1");
  }
  for (std::chrono::milliseconds* const duration :
       {&options.timeout, &options.backoff_min, &options.backoff_max, &options.poll, &options.keep_done}) {
    if (duration->count() < 0) throw std::invalid_argument("the durations of a queue must not be negative");
    *duration = std::min(*duration, kDurationMax);
  }
  return options;
}

// Returns whether the database refused a text because it cannot store one of its characters.
bool is_about_characters(const ServerError& error) {
  return error.sqlstate() == "22021" || error.sqlstate() == "22P05";
}

std::string ascii_of(std::string text) {
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return text;
}

template <class Database>
Task<bool> push_to(const Database& database, JobQueueOptions queue, std::string payload, PushOptions options) {
  const std::optional<std::string> key = options.key.empty() ? std::nullopt : std::optional(options.key);
  const double delay = in_ms(std::min(options.delay, kDurationMax));
  const double keep_done = in_ms(queue.keep_done);
  const std::uint64_t added = co_await database.execute(kPush, queue.name, payload, key, delay, keep_done);
  co_return added != 0;
}

}  // namespace

class JobQueue::State {
 public:
  State(Pool pool, JobQueueOptions options) : pool(std::move(pool)), options(checked(std::move(options))) {}

  // Takes a job that no other process has. Returns nothing if there is none.
  Task<std::optional<Job>> claim() const {
    const auto until = in_ms(options.timeout + kGrace);
    return pool.find<Job>(kClaim, options.name, until);
  }

  // Executes jobs until the task is cancelled.
  static Task<> work(std::shared_ptr<State> state, std::function<Task<>(Job)> handler);
  void report(MetricSink& sink) const;

  const Pool pool;
  const JobQueueOptions options;
  Notify pushed;

 private:
  using Handler = std::shared_ptr<const std::function<Task<>(Job)>>;

  // Executes one job; holds a permit until the end.
  static Task<> execute(std::shared_ptr<State> state, Handler handler, Job job, Semaphore::Permit permit);
  // Returns why the attempt failed; empty if it did not.
  [[nodiscard]] Task<std::string> attempt(Handler handler, Job job) const;
  [[nodiscard]] Task<> record_success(Job job);
  [[nodiscard]] Task<> record_failure(Job job, std::string reason);
  // Returns false if the database cannot store a character of the reason.
  [[nodiscard]] Task<bool> try_record_failure(Job job, std::string reason) const;
  [[nodiscard]] Task<> give_back(Job job) const;
  [[nodiscard]] Task<> clean() const;
  // Returns the next job; waits for one. Deletes old jobs when `clean_at` has passed, and moves it on.
  [[nodiscard]] Task<Job> next(Deadline& clean_at);
  [[nodiscard]] Task<std::optional<Job>> try_next();
  [[nodiscard]] std::chrono::milliseconds backoff_after(int attempt) const;
  void count(AttemptResult result) noexcept {
    attempts_[static_cast<std::size_t>(result)].fetch_add(1, base::relaxed);  // relaxed: a report
  }

  std::array<base::Atomic<std::uint64_t>, kAttemptResults.size()> attempts_{};
  base::Atomic<std::int64_t> running_{0};
};

Task<> JobQueue::State::work(std::shared_ptr<State> state, std::function<Task<>(Job)> handler) {
  const auto shared = std::make_shared<const std::function<Task<>(Job)>>(std::move(handler));
  Semaphore free(state->options.jobs_max);
  auto body = [&](Scope& scope) -> Task<> {
    Deadline clean_at = Deadline::after(kBetweenCleanings);
    for (;;) {
      Result<Semaphore::Permit> permit = co_await free.acquire();
      Job job = co_await state->next(clean_at);
      scope.spawn(execute, state, shared, std::move(job), *std::move(permit));
    }
  };
  co_await with_scope(std::move(body));
}

// Deletes the jobs that were done long ago.
Task<> JobQueue::State::clean() const {
  try {
    co_await pool.execute(kClean, options.name, in_ms(options.keep_done));
  } catch (const Error& error) {  // decided: the next cleaning deletes them
    kQueueLog(LogLevel::warning, "a job queue cannot be cleaned", {{"queue", options.name}, {"error", error.what()}});
  }
}

Task<Job> JobQueue::State::next(Deadline& clean_at) {
  for (;;) {
    if (clean_at.passed()) {
      clean_at = Deadline::after(kBetweenCleanings);
      co_await clean();
    }
    std::optional<Job> job = co_await try_next();
    if (job && job->attempt <= options.attempts_max) co_return *std::move(job);
    if (job) {  // no attempt has come to an end that could be recorded
      co_await record_failure(*std::move(job), "the process ended during the last attempt");
      continue;
    }
    static_cast<void>(co_await select(pushed.notified(), sleep_for(options.poll)));
  }
}

Task<std::optional<Job>> JobQueue::State::try_next() {
  try {
    // A claim whose answer is not awaited would keep the job from others until its time has passed.
    co_return co_await shield([this] { return claim(); });
  } catch (const Error& error) {  // decided: the queue is read again after the next pause
    kQueueLog(LogLevel::warning, "a job queue cannot be read", {{"queue", options.name}, {"error", error.what()}});
  }
  co_return std::nullopt;
}

Task<> JobQueue::State::execute(std::shared_ptr<State> state, Handler handler, Job job, Semaphore::Permit permit) {
  struct Running {
    base::Atomic<std::int64_t>& count;
    explicit Running(base::Atomic<std::int64_t>& count) noexcept : count(count) {
      count.fetch_add(1, base::relaxed);  // relaxed: a report
    }
    ~Running() { count.fetch_sub(1, base::relaxed); }  // relaxed: a report
  } const running(state->running_);
  const Semaphore::Permit held = std::move(permit);
  std::string reason;
  bool cancelled = false;
  try {
    reason = co_await state->attempt(handler, job);
  } catch (const Cancelled&) {
    cancelled = true;
  }
  if (cancelled) {
    try {
      co_await yield();  // throws again if this task was cancelled
      cancelled = false;
      reason = "the handler awaited a task that was cancelled";
    } catch (const Cancelled&) {  // decided: the job is given back
    }
  }
  // A cancellation of the worker must not prevent this record.
  co_await shield([&]() -> Task<> {
    if (cancelled) return state->give_back(job);
    return reason.empty() ? state->record_success(job) : state->record_failure(job, reason);
  });
}

Task<std::string> JobQueue::State::attempt(Handler handler, Job job) const {
  try {
    const Result<void> ended = co_await within(options.timeout, [&] { return (*handler)(job); });
    co_return ended ? std::string() : "took longer than " + std::to_string(options.timeout.count()) + " ms";
  } catch (const Cancelled&) {
    throw;
  } catch (...) {  // decided: recorded with the job
    const ExceptionText text(std::current_exception());
    co_return std::string(text.message().empty() ? text.type() : text.message());
  }
}

Task<> JobQueue::State::record_success(Job job) {
  try {
    const std::uint64_t changed = co_await pool.execute(kDone, job.id, job.attempt);
    count(changed != 0 ? AttemptResult::done : AttemptResult::lost);
    co_return;
  } catch (const Error& error) {  // decided: the job will be executed again
    kQueueLog(LogLevel::error, "a job is done, but this was not recorded",
              {{"queue", options.name}, {"job", job.id}, {"error", error.what()}});
  }
  count(AttemptResult::lost);
}

Task<> JobQueue::State::record_failure(Job job, std::string reason) {
  std::erase(reason, '\0');  // PostgreSQL has no such text
  const bool dead = job.attempt >= options.attempts_max;
  kQueueLog(dead ? LogLevel::error : LogLevel::warning, dead ? "a job is dead" : "an attempt of a job failed",
            {{"queue", options.name}, {"job", job.id}, {"attempt", job.attempt}, {"error", reason}});
  count(dead ? AttemptResult::dead : AttemptResult::failed);
  const bool stored = co_await try_record_failure(job, reason);
  if (!stored) co_await try_record_failure(job, ascii_of(reason));
}

Task<bool> JobQueue::State::try_record_failure(Job job, std::string reason) const {
  std::string failure;
  try {
    if (job.attempt >= options.attempts_max) {
      co_await pool.execute(kDead, job.id, job.attempt, reason);
    } else {
      co_await pool.execute(kFailed, job.id, job.attempt, reason, in_ms(backoff_after(job.attempt)));
    }
    co_return true;
  } catch (const ServerError& error) {
    if (is_about_characters(error)) co_return false;
    failure = error.what();
  } catch (const Error& error) {
    failure = error.what();
  }
  // The job is given to another process when its time has passed.
  kQueueLog(LogLevel::error, "the failure of a job was not recorded",
            {{"queue", options.name}, {"job", job.id}, {"error", failure}});
  co_return true;
}

Task<> JobQueue::State::give_back(Job job) const {
  try {
    co_await pool.execute(kGiveBack, job.id, job.attempt);
  } catch (const Error& error) {  // decided: the job is given to another process when its time has passed
    kQueueLog(LogLevel::warning, "a job was not given back",
              {{"queue", options.name}, {"job", job.id}, {"error", error.what()}});
  }
}

std::chrono::milliseconds JobQueue::State::backoff_after(int attempt) const {
  std::chrono::milliseconds wait = options.backoff_min;
  for (int i = 1; i < attempt && wait < options.backoff_max; ++i) wait *= 2;
  return std::min(wait, options.backoff_max);
}

void JobQueue::State::report(MetricSink& sink) const {
  const std::string_view queue = options.name;
  for (std::size_t i = 0; i != kAttemptResults.size(); ++i) {
    sink.counter("volt_pg_jobs_total",
                 "Attempts of jobs that this process has made: done, failed, dead (failed for the last time), lost "
                 "(done, but not recorded, or given to another process before).",
                 {{"queue", queue}, {"result", kAttemptResults[i]}},
                 attempts_[i].load(base::relaxed));  // relaxed: a report
  }
  sink.gauge("volt_pg_jobs_running", "Jobs that this process executes.", {{"queue", queue}},
             static_cast<double>(running_.load(base::relaxed)));  // relaxed: a report
}

JobQueue::JobQueue(Pool pool, JobQueueOptions options)
    : state_(std::make_shared<State>(std::move(pool), std::move(options))) {}

Task<> JobQueue::make_table() const {
  const Pool pool = state_->pool;
  co_await pool.execute(kMakeJobTable);
}

Task<bool> JobQueue::push(std::string payload, PushOptions options) const {
  const std::shared_ptr<State> state = state_;
  const bool added = co_await push_to(state->pool, state->options, std::move(payload), std::move(options));
  if (added) state->pushed.notify_one();
  co_return added;
}

Task<bool> JobQueue::push(const Transaction& transaction, std::string payload, PushOptions options) const {
  return push_to(transaction, state_->options, std::move(payload), std::move(options));
}

Task<> JobQueue::work(std::function<Task<>(Job)> handler) const { return State::work(state_, std::move(handler)); }

Task<std::vector<DeadJob>> JobQueue::dead(int limit) const {
  const std::shared_ptr<State> state = state_;
  co_return co_await state->pool.query<DeadJob>(kListDead, state->options.name, limit);
}

Task<bool> JobQueue::retry(std::int64_t id) const {
  const std::shared_ptr<State> state = state_;
  const std::uint64_t changed = co_await state->pool.execute(kRetry, id, state->options.name);
  if (changed != 0) state->pushed.notify_one();
  co_return changed != 0;
}

void JobQueue::report_metrics(MetricSink& sink) const { state_->report(sink); }

}  // namespace volt::pg
