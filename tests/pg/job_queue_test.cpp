// SPDX-License-Identifier: MIT

#include "pg/job_queue.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/scope.h"
#include "tests/pg/database.h"

namespace volt::pg {
namespace {

using namespace test;

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

Task<> sleep_for_an_hour() { co_await sleep_for(1h); }

// Payloads that begin with "fail" or "binary" fail, and those that begin with "hang" take an hour; "cancelled" awaits a
// task that is cancelled.
Task<> handle(SharedAttempts attempts, Job job) {
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

Task<> work(JobQueue queue, SharedAttempts attempts) {
  std::function<Task<>(Job)> handler = [attempts](Job job) { return handle(attempts, std::move(job)); };
  co_await queue.work(std::move(handler));
}

JobQueueOptions fast(std::string name) {
  JobQueueOptions options;
  options.name = std::move(name);
  options.attempts_max = 3;
  options.backoff_min = options.backoff_max = options.poll = 5ms;
  return options;
}

// Calls `body` while these queues are worked on.
template <class Body>
Task<> while_working(std::vector<JobQueue> queues, SharedAttempts attempts, Body body) {
  co_await with_scope([&](Scope& scope) -> Task<> {
    for (const JobQueue& queue : queues) scope.spawn(work, queue, attempts);
    co_await body();
    scope.cancel();
  });
}

Task<JobQueue> empty_queue(Pool db, JobQueueOptions options) {
  JobQueue queue(db, std::move(options));
  co_await queue.make_table();
  co_await db.execute("delete from volt_job");
  co_return queue;
}

Task<bool> jobs_become(Pool db, std::string condition, std::int64_t wanted) {
  return count_becomes(db, "select count(*) from volt_job where " + condition, wanted);
}

}  // namespace

TEST_SUITE_BEGIN("pg/job_queue");

TEST_CASE("processes share the jobs of a queue, and each job is executed once") {
  with_pool(patient(), [](Pool db) -> Task<> {
    const JobQueue queue = co_await empty_queue(db, fast("shared"));
    const JobQueue elsewhere(Pool(patient()), fast("shared"));
    const JobQueue other(db, fast("other"));
    const auto attempts = std::make_shared<Attempts>();
    for (int i = 0; i != 40; ++i) co_await queue.push(std::to_string(i));
    co_await other.push("of another queue");
    const std::vector<JobQueue> queues = {queue, elsewhere};
    co_await while_working(queues, attempts, [&]() -> Task<> {
      const bool done = co_await jobs_become(db, "done_at is not null", 40);
      CHECK(done);
    });
    CHECK(attempts->count() == 40);
    for (int i = 0; i != 40; ++i) CHECK(attempts->of(std::to_string(i)) == std::vector<int>{1});
  });
}

TEST_CASE("a job that fails is repeated, and dead in the end, until it is retried") {
  with_pool(patient(), [](Pool db) -> Task<> {
    const JobQueue queue = co_await empty_queue(db, fast("failing"));
    const auto attempts = std::make_shared<Attempts>();
    co_await queue.push("fail");
    const std::vector<JobQueue> queues = {queue};
    co_await while_working(queues, attempts, [&]() -> Task<> {
      const bool dead = co_await jobs_become(db, "dead_at is not null", 1);
      CHECK(dead);
    });
    CHECK(attempts->of("fail") == std::vector<int>{1, 2, 3});
    const std::vector<DeadJob> dead = co_await queue.dead();
    REQUIRE(dead.size() == 1);
    CHECK(dead[0].payload == "fail");
    CHECK(dead[0].error == "decided by the test");
    const bool unknown = co_await queue.retry(dead[0].id + 1);
    CHECK(!unknown);
    co_await db.execute("update volt_job set payload = 'right'");
    const bool retried = co_await queue.retry(dead[0].id);
    CHECK(retried);
    co_await while_working(queues, attempts, [&]() -> Task<> {
      const bool done = co_await jobs_become(db, "done_at is not null", 1);
      CHECK(done);
    });
    CHECK(attempts->of("right") == std::vector<int>{1});
  });
}

TEST_CASE("a job with a key is pushed once, also after it was done; one of a transaction needs its commit") {
  with_pool(patient(), [](Pool db) -> Task<> {
    const JobQueue queue = co_await empty_queue(db, fast("keys"));
    const auto attempts = std::make_shared<Attempts>();
    const PushOptions keyed{.key = "order-7"};
    const bool first = co_await queue.push("a", keyed);
    CHECK(first);
    const bool second = co_await queue.push("b", keyed);
    CHECK(!second);
    {
      const Transaction dropped = co_await db.transaction();
      co_await queue.push(dropped, "dropped");
    }
    Transaction kept = co_await db.transaction();
    const PushOptions later{.delay = 1h};
    co_await queue.push(kept, "kept");
    co_await queue.push(kept, "later", later);
    co_await kept.commit();
    const std::vector<JobQueue> queues = {queue};
    co_await while_working(queues, attempts, [&]() -> Task<> {
      const bool done = co_await jobs_become(db, "done_at is not null", 2);
      CHECK(done);
    });
    const bool third = co_await queue.push("c", keyed);
    CHECK(!third);
    CHECK(attempts->count() == 2);
    CHECK(attempts->of("a") == std::vector<int>{1});
    CHECK(attempts->of("kept") == std::vector<int>{1});
  });
}

TEST_CASE("the key of a done job is free after keep_done, also if the job was not deleted yet") {
  JobQueueOptions options = fast("old keys");
  options.keep_done = 1h;
  with_pool(patient(), [options](Pool db) -> Task<> {
    const JobQueue queue = co_await empty_queue(db, options);
    const PushOptions keyed{.key = "daily"};
    co_await queue.push("yesterday", keyed);
    co_await db.execute("update volt_job set attempt = 2, done_at = clock_timestamp() - interval '50 minutes'");
    const bool early = co_await queue.push("today", keyed);
    CHECK(!early);
    const auto old_id = co_await db.find<std::int64_t>("select id from volt_job");
    co_await db.execute("update volt_job set done_at = clock_timestamp() - interval '70 minutes'");
    const bool added = co_await queue.push("today", keyed);
    CHECK(added);
    const auto new_id = co_await db.find<std::int64_t>(
        "select id from volt_job where payload = 'today' and attempt = 0 and done_at is null");
    REQUIRE(new_id);
    CHECK(*new_id != *old_id);  // the id is an idempotency key
  });
}

TEST_CASE("a worker that is cancelled gives its job back, and the attempt does not count") {
  with_pool(patient(), [](Pool db) -> Task<> {
    const JobQueue queue = co_await empty_queue(db, fast("cancelled"));
    const auto attempts = std::make_shared<Attempts>();
    co_await queue.push("hang");
    const std::vector<JobQueue> queues = {queue};
    co_await while_working(queues, attempts, [&]() -> Task<> {
      const bool begun = co_await jobs_become(db, "attempt = 1", 1);
      CHECK(begun);
    });
    const bool given_back = co_await jobs_become(db, "attempt = 0 and run_at <= clock_timestamp()", 1);
    CHECK(given_back);
  });
}

TEST_CASE("a handler that awaits a task that was cancelled has failed") {
  with_pool(patient(), [](Pool db) -> Task<> {
    const JobQueue queue = co_await empty_queue(db, fast("awaits"));
    const auto attempts = std::make_shared<Attempts>();
    co_await queue.push("cancelled");
    const std::vector<JobQueue> queues = {queue};
    co_await while_working(queues, attempts, [&]() -> Task<> {
      const bool dead = co_await jobs_become(db, "dead_at is not null", 1);
      CHECK(dead);
    });
    CHECK(attempts->of("cancelled") == std::vector<int>{1, 2, 3});
    const std::vector<DeadJob> dead = co_await queue.dead();
    REQUIRE(dead.size() == 1);
    CHECK(dead[0].error == "the handler awaited a task that was cancelled");
  });
}

TEST_CASE("an error whose text the database cannot store is recorded in ASCII") {
  with_pool(patient(), [](Pool db) -> Task<> {
    const JobQueue queue = co_await empty_queue(db, fast("binary"));
    const auto attempts = std::make_shared<Attempts>();
    co_await queue.push("binary");
    const std::vector<JobQueue> queues = {queue};
    co_await while_working(queues, attempts, [&]() -> Task<> {
      const bool dead = co_await jobs_become(db, "dead_at is not null and error = '?? ?!'", 1);
      CHECK(dead);
    });
    CHECK(attempts->of("binary") == std::vector<int>{1, 2, 3});
  });
}

TEST_CASE("durations may be as long as they like, but not negative") {
  static constexpr auto longest = std::chrono::milliseconds::max();
  JobQueueOptions options = fast("long");
  options.attempts_max = 100;
  options.timeout = options.backoff_max = options.keep_done = longest;
  options.backoff_min = 1h;
  with_pool(patient(), [options](Pool db) -> Task<> {
    const JobQueue queue = co_await empty_queue(db, options);
    const auto attempts = std::make_shared<Attempts>();
    const PushOptions later{.delay = longest};
    co_await queue.push("later", later);
    co_await queue.push("right");
    co_await queue.push("fail");
    co_await db.execute("update volt_job set attempt = 70 where payload = 'fail'");
    const std::vector<JobQueue> queues = {queue};
    co_await while_working(queues, attempts, [&]() -> Task<> {
      const bool done = co_await jobs_become(db, "done_at is not null", 1);
      CHECK(done);
      const bool far = co_await jobs_become(db, "run_at > now() + interval '40 years' and done_at is null", 2);
      CHECK(far);
      const bool failed = co_await jobs_become(db, "error is not null and attempt = 71", 1);
      CHECK(failed);
    });
  });
  for (std::chrono::milliseconds JobQueueOptions::* duration :
       {&JobQueueOptions::timeout, &JobQueueOptions::backoff_min, &JobQueueOptions::backoff_max, &JobQueueOptions::poll,
        &JobQueueOptions::keep_done}) {
    JobQueueOptions negative;
    negative.*duration = -1ms;
    CHECK_THROWS_AS(JobQueue(Pool(patient()), negative), std::invalid_argument);
  }
}

TEST_CASE("an attempt that takes too long is cancelled, and has failed") {
  JobQueueOptions options = fast("slow");
  options.timeout = 30ms;
  options.attempts_max = 1;
  with_pool(patient(), [options](Pool db) -> Task<> {
    const JobQueue queue = co_await empty_queue(db, options);
    const auto attempts = std::make_shared<Attempts>();
    co_await queue.push("hang");
    const std::vector<JobQueue> queues = {queue};
    co_await while_working(queues, attempts, [&]() -> Task<> {
      const bool dead = co_await jobs_become(db, "dead_at is not null and error = 'took longer than 30 ms'", 1);
      CHECK(dead);
    });
  });
}

TEST_CASE("the job of a process that has ended is given to another one, as long as it has attempts") {
  with_pool(patient(), [](Pool db) -> Task<> {
    const JobQueue queue = co_await empty_queue(db, fast("orphans"));
    const auto attempts = std::make_shared<Attempts>();
    co_await queue.push("once");
    co_await queue.push("too often");
    co_await db.execute("update volt_job set attempt = 1 where payload = 'once'");
    co_await db.execute("update volt_job set attempt = 3 where payload = 'too often'");
    const std::vector<JobQueue> queues = {queue};
    co_await while_working(queues, attempts, [&]() -> Task<> {
      const bool ended = co_await jobs_become(db, "done_at is not null or dead_at is not null", 2);
      CHECK(ended);
    });
    CHECK(attempts->of("once") == std::vector<int>{2});
    CHECK(attempts->count() == 1);
    const std::vector<DeadJob> dead = co_await queue.dead();
    REQUIRE(dead.size() == 1);
    CHECK(dead[0].error == "the process ended during the last attempt");
  });
}

TEST_SUITE_END();

}  // namespace volt::pg
