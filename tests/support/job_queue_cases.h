// SPDX-License-Identifier: MIT

// The behavior of job queues that does not depend on the database, as cases that the tests of pg::JobQueue and
// sqlite::JobQueue call. `Queue` is one of the two; `db` a pool whose table volt_job may be emptied.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "database/job_queue.h"
#include "runtime/scope.h"
#include "runtime/spawn.h"
#include "runtime/time.h"
#include "tests/support/database.h"
#include "tests/support/reported_metrics.h"

namespace volt::test {

using database::DeadJob;
using database::Job;
using database::JobQueueOptions;
using database::PushOptions;

// The attempts of jobs that handlers have begun.
class Attempts {
 public:
  void add(const Job& job) {
    const std::scoped_lock lock(mutex_);
    by_payload_[job.payload].push_back(job.attempt);
  }
  [[nodiscard]] std::vector<int> of(const std::string& payload) {
    const std::scoped_lock lock(mutex_);
    return by_payload_[payload];
  }
  [[nodiscard]] std::size_t count() {
    const std::scoped_lock lock(mutex_);
    return by_payload_.size();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<int>> by_payload_;
};
using SharedAttempts = std::shared_ptr<Attempts>;

inline Task<> sleep_for_an_hour() { co_await sleep_for(1h); }

// Payloads that begin with "fail" or "binary" fail, and those that begin with "hang" take an hour; "cancelled" awaits a
// task that is cancelled.
inline Task<> handle_job(SharedAttempts attempts, Job job) {
  attempts->add(job);
  if (job.payload.starts_with("hang")) co_await sleep_for(1h);
  if (job.payload.starts_with("fail")) throw std::runtime_error("decided by the test");
  if (job.payload.starts_with("binary")) throw std::runtime_error("\xc3\xa9 \xff!");
  if (job.payload.starts_with("cancelled")) {
    JoinHandle<void> other = spawn(sleep_for_an_hour);
    other.cancel();
    co_await std::move(other);
  }
}

template <class Queue>
Task<> work_on(Queue queue, SharedAttempts attempts) {
  std::function<Task<>(Job)> handler = [attempts](Job job) { return handle_job(attempts, std::move(job)); };
  co_await queue.work(std::move(handler));
}

inline JobQueueOptions fast(std::string name) {
  JobQueueOptions options;
  options.name = std::move(name);
  options.attempts_max = 3;
  options.backoff_min = options.backoff_max = options.poll = 5ms;
  return options;
}

// Calls `body` while these queues are worked on.
template <class Queue, class Body>
Task<> while_working(std::vector<Queue> queues, SharedAttempts attempts, Body body) {
  co_await with_scope([&](Scope& scope) -> Task<> {
    for (const Queue& queue : queues) scope.spawn(work_on<Queue>, queue, attempts);
    co_await body();
    scope.cancel();
  });
}

// Returns a queue whose table exists, and is empty.
template <class Queue, class Pool>
Task<Queue> empty_queue(Pool db, JobQueueOptions options) {
  Queue queue(db, std::move(options));
  co_await queue.make_table();
  co_await db.execute("delete from volt_job");
  co_return queue;
}

template <class Pool>
Task<bool> jobs_become(Pool db, std::string condition, std::int64_t wanted) {
  return count_becomes(db, "select count(*) from volt_job where " + condition, wanted);
}

// Works on the queue until as many jobs are in the condition as wanted.
template <class Queue, class Pool>
Task<> work_until(Queue queue, Pool db, SharedAttempts attempts, std::string condition, std::int64_t wanted) {
  const std::vector<Queue> queues = {queue};
  co_await while_working(queues, attempts, [&]() -> Task<> {
    const bool reached = co_await jobs_become(db, condition, wanted);
    CHECK_MESSAGE(reached, condition);
  });
}

template <class Queue>
Task<DeadJob> only_dead_job_of(Queue queue) {
  const std::vector<DeadJob> dead = co_await queue.dead();
  REQUIRE(dead.size() == 1);
  co_return dead[0];
}

// `other_pool`: another pool of the database.
template <class Queue, class Pool>
Task<> jobs_are_shared(Pool db, Pool other_pool) {
  const Queue queue = co_await empty_queue<Queue>(db, fast("shared"));
  const Queue elsewhere(other_pool, fast("shared"));
  const Queue other(db, fast("other"));
  const auto attempts = std::make_shared<Attempts>();
  for (int i = 0; i != 40; ++i) co_await queue.push(std::to_string(i));
  co_await other.push("of another queue");
  const std::vector<Queue> queues = {queue, elsewhere};
  co_await while_working(queues, attempts, [&]() -> Task<> {
    const bool done = co_await jobs_become(db, "done_at is not null", 40);
    CHECK(done);
  });
  CHECK(attempts->count() == 40);
  for (int i = 0; i != 40; ++i) CHECK(attempts->of(std::to_string(i)) == std::vector<int>{1});
}

template <class Queue, class Pool>
Task<> failed_job_is_repeated(Pool db) {
  const Queue queue = co_await empty_queue<Queue>(db, fast("failing"));
  const auto attempts = std::make_shared<Attempts>();
  co_await queue.push("fail");
  co_await work_until(queue, db, attempts, "dead_at is not null", 1);
  CHECK(attempts->of("fail") == std::vector<int>{1, 2, 3});
  const DeadJob dead = co_await only_dead_job_of(queue);
  CHECK(dead.payload == "fail");
  CHECK(dead.error == "decided by the test");
  const bool unknown = co_await queue.retry(dead.id + 1);
  CHECK(!unknown);
  co_await db.execute("update volt_job set payload = 'right'");
  const bool retried = co_await queue.retry(dead.id);
  CHECK(retried);
  co_await work_until(queue, db, attempts, "done_at is not null", 1);
  CHECK(attempts->of("right") == std::vector<int>{1});
}

template <class Queue, class Pool>
Task<> keyed_job_is_pushed_once(Pool db) {
  const Queue queue = co_await empty_queue<Queue>(db, fast("keys"));
  const auto attempts = std::make_shared<Attempts>();
  const PushOptions keyed{.key = "order-7"};
  const bool first = co_await queue.push("a", keyed);
  CHECK(first);
  const bool second = co_await queue.push("b", keyed);
  CHECK(!second);
  {
    const auto dropped = co_await db.transaction();
    co_await queue.push(dropped, "dropped");
  }
  auto kept = co_await db.transaction();
  const PushOptions later{.delay = 1h};
  co_await queue.push(kept, "kept");
  co_await queue.push(kept, "later", later);
  co_await kept.commit();
  co_await work_until(queue, db, attempts, "done_at is not null", 2);
  const bool third = co_await queue.push("c", keyed);
  CHECK(!third);
  CHECK(attempts->count() == 2);
  CHECK(attempts->of("a") == std::vector<int>{1});
  CHECK(attempts->of("kept") == std::vector<int>{1});
}

// The queue is looked at once an hour, so a job is done only if something wakes the worker.
template <class Queue, class Pool>
Task<> commit_wakes_the_worker(Pool db) {
  JobQueueOptions options = fast("woken");
  options.poll = 1h;
  const Queue queue = co_await empty_queue<Queue>(db, options);
  const auto attempts = std::make_shared<Attempts>();
  const std::vector<Queue> queues = {queue};
  co_await while_working(queues, attempts, [&]() -> Task<> {
    co_await queue.push("first");  // after it the worker waits for more
    const bool began = co_await jobs_become(db, "done_at is not null", 1);
    CHECK(began);
    for (int round = 0; round != 20; ++round) {
      {
        const auto dropped = co_await db.transaction();
        co_await queue.push(dropped, "dropped");
      }
      auto transaction = co_await db.transaction();
      co_await queue.push(transaction, std::to_string(round));
      co_await transaction.commit();
      const bool done = co_await jobs_become(db, "done_at is not null", 2 + round);
      REQUIRE(done);
    }
  });
  CHECK(attempts->count() == 21);
}

// `long_ago`: an expression of SQL for the time of the database 70 minutes ago; `recently`: 50 minutes ago.
template <class Queue, class Pool>
Task<> key_of_done_job_is_free_later(Pool db, std::string long_ago, std::string recently) {
  JobQueueOptions options = fast("old keys");
  options.keep_done = 1h;
  const Queue queue = co_await empty_queue<Queue>(db, options);
  const PushOptions keyed{.key = "daily"};
  co_await queue.push("yesterday", keyed);
  const std::string done_recently = "update volt_job set attempt = 2, done_at = " + recently;
  co_await db.execute(done_recently);
  const bool early = co_await queue.push("today", keyed);
  CHECK(!early);
  const auto old_id = co_await db.template find<std::int64_t>("select id from volt_job");
  const std::string done_long_ago = "update volt_job set done_at = " + long_ago;
  co_await db.execute(done_long_ago);
  const bool added = co_await queue.push("today", keyed);
  CHECK(added);
  const auto new_id = co_await db.template find<std::int64_t>(
      "select id from volt_job where payload = 'today' and attempt = 0 and done_at is null");
  REQUIRE(new_id);
  CHECK(*new_id != *old_id);  // the id is an idempotency key
}

template <class Queue, class Pool>
Task<> cancelled_worker_gives_job_back(Pool db) {
  const Queue queue = co_await empty_queue<Queue>(db, fast("cancelled"));
  const auto attempts = std::make_shared<Attempts>();
  co_await queue.push("hang");
  co_await work_until(queue, db, attempts, "attempt = 1", 1);
  const bool given_back = co_await jobs_become(db, "attempt = 0", 1);
  CHECK(given_back);
}

template <class Queue, class Pool>
Task<> handler_that_awaits_cancelled_task_has_failed(Pool db) {
  const Queue queue = co_await empty_queue<Queue>(db, fast("awaits"));
  const auto attempts = std::make_shared<Attempts>();
  co_await queue.push("cancelled");
  co_await work_until(queue, db, attempts, "dead_at is not null", 1);
  CHECK(attempts->of("cancelled") == std::vector<int>{1, 2, 3});
  const DeadJob dead = co_await only_dead_job_of(queue);
  CHECK(dead.error == "the handler awaited a task that was cancelled");
}

template <class Queue, class Pool>
Task<> slow_attempt_is_cancelled(Pool db) {
  JobQueueOptions options = fast("slow");
  options.timeout = 30ms;
  options.attempts_max = 1;
  const Queue queue = co_await empty_queue<Queue>(db, options);
  const auto attempts = std::make_shared<Attempts>();
  co_await queue.push("hang");
  co_await work_until(queue, db, attempts, "dead_at is not null and error = 'took longer than 30 ms'", 1);
}

template <class Queue, class Pool>
Task<> orphaned_job_is_given_to_another_process(Pool db) {
  const Queue queue = co_await empty_queue<Queue>(db, fast("orphans"));
  const auto attempts = std::make_shared<Attempts>();
  co_await queue.push("once");
  co_await queue.push("too often");
  co_await db.execute("update volt_job set attempt = 1 where payload = 'once'");
  co_await db.execute("update volt_job set attempt = 3 where payload = 'too often'");
  co_await work_until(queue, db, attempts, "done_at is not null or dead_at is not null", 2);
  CHECK(attempts->of("once") == std::vector<int>{2});
  CHECK(attempts->count() == 1);
  const DeadJob dead = co_await only_dead_job_of(queue);
  CHECK(dead.error == "the process ended during the last attempt");
}

// `kind`: in the names of the metrics.
template <class Queue, class Pool>
Task<> queue_reports_jobs_of_the_table(Pool db, std::string kind) {
  const Queue queue = co_await empty_queue<Queue>(db, fast("reported"));
  const Queue other(db, fast("of others"));
  const auto attempts = std::make_shared<Attempts>();
  const PushOptions later{.delay = 1h};
  co_await queue.push("fail");
  co_await work_until(queue, db, attempts, "dead_at is not null", 1);
  co_await queue.push("later", later);
  co_await queue.push("later too", later);
  co_await other.push("of another queue");
  const Queue fresh(db, fast("reported"));  // has counted nothing yet
  const std::string jobs = "volt_" + kind + "_jobs";
  co_await with_scope([&](Scope& scope) -> Task<> {
    scope.spawn(work_on<Queue>, fresh, attempts);
    const bool counted = co_await becomes([&] {
      const ReportedMetrics now(fresh);
      return now.has(jobs + " reported scheduled") && now.at(jobs + " reported scheduled") == 2;
    });
    CHECK(counted);
    scope.cancel();
  });
  const ReportedMetrics now(fresh);
  CHECK(now.at(jobs + " reported dead") == 1);
  CHECK(now.at(jobs + " reported queued") == 0);
  CHECK(now.at(jobs + "_oldest_seconds reported") == 0);
  const ReportedMetrics before(queue);
  CHECK(before.at(jobs + "_total reported failed") == 2);
  CHECK(before.at(jobs + "_total reported dead") == 1);
}

}  // namespace volt::test
