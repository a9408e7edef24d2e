// SPDX-License-Identifier: MIT

#include "database/job_worker.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

#include "crypto/random.h"
#include "runtime/cancel.h"
#include "runtime/concurrent.h"
#include "runtime/deadline.h"
#include "runtime/exception_text.h"
#include "runtime/scope.h"
#include "runtime/select.h"
#include "runtime/time.h"

namespace volt::database {
namespace {

constexpr auto kBetweenCleanings = std::chrono::minutes(1);
constexpr auto kBetweenCounts = std::chrono::seconds(15);

// Longer times would overflow in the arithmetic of this program, or of the database.
constexpr std::chrono::milliseconds kDurationMax = std::chrono::days(36'525);

JobQueueOptions checked(JobQueueOptions options) {
  if (options.jobs_max == 0 || options.attempts_max < 1) {
    throw std::invalid_argument("jobs_max and attempts_max of a queue must be at least 1");
  }
  for (std::chrono::milliseconds* const duration : {&options.timeout, &options.grace, &options.backoff_min,
                                                    &options.backoff_max, &options.poll, &options.keep_done}) {
    if (duration->count() < 0) throw std::invalid_argument("the durations of a queue must not be negative");
    *duration = std::min(*duration, kDurationMax);
  }
  return options;
}

// Returns the duration or a shorter one, but at least half of it.
std::chrono::milliseconds with_random_part(std::chrono::milliseconds duration) {
  const double part = 0.5 + crypto::random_fraction() / 2;
  return std::chrono::milliseconds(static_cast<std::int64_t>(static_cast<double>(duration.count()) * part));
}

}  // namespace

JobWorker::JobWorker(std::unique_ptr<JobStore> store, std::string_view kind, JobQueueOptions options)
    : store_(std::move(store)), kind_(kind), log_(kind), options_(checked(std::move(options))) {}

NewJob JobWorker::new_job(std::string payload, PushOptions options) const {
  return {.payload = std::move(payload),
          .key = options.key.empty() ? std::nullopt : std::optional(std::move(options.key)),
          .delay = std::min(options.delay, kDurationMax),
          .keep_done = options_.keep_done};
}

Task<> JobWorker::work(std::shared_ptr<JobWorker> worker, std::function<Task<>(Job)> handler) {
  const auto shared = std::make_shared<const std::function<Task<>(Job)>>(std::move(handler));
  Semaphore free(worker->options_.jobs_max);
  auto body = [&](Scope& scope) -> Task<> {
    scope.spawn(maintain, worker);
    scope.spawn(watch, worker);
    for (;;) {
      Result<Semaphore::Permit> permit = co_await free.acquire();
      Job job = co_await worker->next();
      scope.spawn(execute, worker, shared, std::move(job), *std::move(permit));
    }
  };
  // The tasks of the scope handle what the database and the handler throw. What is left is a lack of memory.
  for (;;) {
    try {
      co_await with_scope(body);
    } catch (const std::exception& error) {  // decided: goes on; the jobs in progress are given back
      worker->log_(LogLevel::error, "a job queue does not work for a moment",
                   {{"queue", worker->options_.name}, {"error", error.what()}});
    }
    co_await sleep_for(worker->options_.poll);
  }
}

// --- the table -------------------------------------------------------------------------------------------------------

Task<> JobWorker::watch(std::shared_ptr<JobWorker> worker) {
  std::function<void()> wake = [worker] { worker->notify(); };
  co_await worker->store_->watch(std::move(wake));
}

Task<> JobWorker::maintain(std::shared_ptr<JobWorker> worker) {
  Deadline clean_at = Deadline::after(kBetweenCleanings);
  for (;;) {
    co_await worker->count_jobs();
    co_await sleep_for(kBetweenCounts);
    if (!clean_at.passed()) continue;
    clean_at = Deadline::after(kBetweenCleanings);
    co_await worker->clean();
  }
}

// Deletes the jobs that were done long ago.
Task<> JobWorker::clean() const {
  try {
    co_await store_->delete_done(options_.keep_done);
  } catch (const std::exception& error) {  // decided: the next cleaning deletes them
    log_(LogLevel::warning, "a job queue cannot be cleaned", {{"queue", options_.name}, {"error", error.what()}});
  }
}

Task<> JobWorker::count_jobs() {
  try {
    const JobCounts counts = co_await store_->count();
    scheduled_.store(counts.scheduled, base::relaxed);  // relaxed: a report
    dead_.store(counts.dead, base::relaxed);            // relaxed: a report
    const auto oldest_ms = static_cast<std::int64_t>(counts.oldest_seconds * 1000);
    oldest_ms_.store(oldest_ms, base::relaxed);   // relaxed: a report
    queued_.store(counts.queued, base::relaxed);  // relaxed: a report
  } catch (const std::exception& error) {         // decided: they are counted again
    log_(LogLevel::warning, "a job queue cannot be counted", {{"queue", options_.name}, {"error", error.what()}});
  }
}

Task<Job> JobWorker::next() {
  for (;;) {
    std::optional<Job> job = co_await try_next();
    if (job && job->attempt <= options_.attempts_max) co_return *std::move(job);
    if (job) {  // no attempt has come to an end that could be recorded
      co_await record_failure(*std::move(job), "the process ended during the last attempt");
      continue;
    }
    static_cast<void>(co_await select(pushed_.notified(), sleep_for(options_.poll)));
  }
}

Task<std::optional<Job>> JobWorker::try_next() {
  try {
    // A claim whose answer is not awaited would keep the job from others until its time has passed.
    co_return co_await shield([this] { return store_->claim(options_.timeout + options_.grace); });
  } catch (const std::exception& error) {  // decided: the queue is read again after the next pause
    log_(LogLevel::warning, "a job queue cannot be read", {{"queue", options_.name}, {"error", error.what()}});
  }
  co_return std::nullopt;
}

// --- attempts --------------------------------------------------------------------------------------------------------

Task<> JobWorker::execute(std::shared_ptr<JobWorker> worker, Handler handler, Job job, Semaphore::Permit permit) {
  struct Running {
    base::Atomic<std::int64_t>& count;
    explicit Running(base::Atomic<std::int64_t>& count) noexcept : count(count) {
      count.fetch_add(1, base::relaxed);  // relaxed: a report
    }
    ~Running() { count.fetch_sub(1, base::relaxed); }  // relaxed: a report
  } const running(worker->running_);
  const Semaphore::Permit held = std::move(permit);
  std::string reason;
  bool cancelled = false;
  try {
    reason = co_await worker->attempt(handler, job);
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
    if (cancelled) return worker->give_back(job);
    return reason.empty() ? worker->record_success(job) : worker->record_failure(job, reason);
  });
}

Task<std::string> JobWorker::attempt(Handler handler, Job job) const {
  try {
    const Result<void> ended = co_await within(options_.timeout, [&] { return (*handler)(job); });
    co_return ended ? std::string() : "took longer than " + std::to_string(options_.timeout.count()) + " ms";
  } catch (const Cancelled&) {
    throw;
  } catch (...) {  // decided: recorded with the job
    const ExceptionText text(std::current_exception());
    co_return std::string(text.message().empty() ? text.type() : text.message());
  }
}

Task<> JobWorker::record_success(Job job) {
  try {
    const bool recorded = co_await store_->finish(job);
    count(recorded ? AttemptResult::done : AttemptResult::lost);
    co_return;
  } catch (const std::exception& error) {  // decided: the job will be executed again
    log_(LogLevel::error, "a job is done, but this was not recorded",
         {{"queue", options_.name}, {"job", job.id}, {"error", error.what()}});
  }
  count(AttemptResult::lost);
}

Task<> JobWorker::record_failure(Job job, std::string reason) {
  std::erase(reason, '\0');  // PostgreSQL has no such text
  const bool dead = job.attempt >= options_.attempts_max;
  log_(dead ? LogLevel::error : LogLevel::warning, dead ? "a job is dead" : "an attempt of a job failed",
       {{"queue", options_.name}, {"job", job.id}, {"attempt", job.attempt}, {"error", reason}});
  count(dead ? AttemptResult::dead : AttemptResult::failed);
  try {
    if (dead) {
      co_await store_->bury(job, reason);
    } else {
      co_await store_->repeat(job, reason, with_random_part(backoff_after(job.attempt)));
    }
  } catch (const std::exception& error) {  // decided: the job is given to another process when its time has passed
    log_(LogLevel::error, "the failure of a job was not recorded",
         {{"queue", options_.name}, {"job", job.id}, {"error", error.what()}});
  }
}

Task<> JobWorker::give_back(Job job) const {
  try {
    co_await store_->give_back(job);
  } catch (const std::exception& error) {  // decided: the job is given to another process when its time has passed
    log_(LogLevel::warning, "a job was not given back",
         {{"queue", options_.name}, {"job", job.id}, {"error", error.what()}});
  }
}

std::chrono::milliseconds JobWorker::backoff_after(int attempt) const {
  std::chrono::milliseconds wait = options_.backoff_min;
  for (int i = 1; i < attempt && wait < options_.backoff_max; ++i) wait *= 2;
  return std::min(wait, options_.backoff_max);
}

// --- metrics ---------------------------------------------------------------------------------------------------------

void JobWorker::report_metrics(MetricSink& sink) const {
  const std::string_view queue = options_.name;
  const std::string family = std::string("volt_").append(kind_).append("_jobs");
  for (std::size_t i = 0; i != kAttemptResults.size(); ++i) {
    sink.counter(family + "_total",
                 "Attempts of jobs that this process has made: done, failed, dead (failed for the last time), lost "
                 "(done, but not recorded, or given to another process before).",
                 {{"queue", queue}, {"result", kAttemptResults[i]}},
                 attempts_[i].load(base::relaxed));  // relaxed: a report
  }
  sink.gauge(family + "_running", "Jobs that this process executes.", {{"queue", queue}},
             static_cast<double>(running_.load(base::relaxed)));  // relaxed: a report
  const std::int64_t queued = queued_.load(base::relaxed);        // relaxed: a report
  if (queued < 0) return;                                         // work() does not run in this process
  const auto jobs = [&](std::string_view state, std::int64_t count) {
    sink.gauge(
        family,
        "Jobs of all processes in the table, as counted in the last 15 seconds: their time has come (queued), or "
        "not, or they are being executed (scheduled), or they have failed for the last time (dead).",
        {{"queue", queue}, {"state", state}}, static_cast<double>(count));
  };
  jobs("queued", queued);
  jobs("scheduled", scheduled_.load(base::relaxed));  // relaxed: a report
  jobs("dead", dead_.load(base::relaxed));            // relaxed: a report
  sink.gauge(family + "_oldest_seconds", "Time that the first queued job has waited beyond its time, in seconds.",
             {{"queue", queue}}, static_cast<double>(oldest_ms_.load(base::relaxed)) / 1000);  // relaxed: a report
}

}  // namespace volt::database
