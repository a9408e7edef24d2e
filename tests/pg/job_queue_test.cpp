// SPDX-License-Identifier: MIT

#include "pg/job_queue.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/pg/database.h"
#include "tests/support/job_queue_cases.h"

namespace volt::pg {
namespace {

using namespace test;
using volt::test::Attempts;
using volt::test::empty_queue;
using volt::test::fast;
using volt::test::jobs_become;
using volt::test::while_working;
using volt::test::work_until;

}  // namespace

TEST_SUITE_BEGIN("pg/job_queue");

TEST_CASE("processes share the jobs of a queue, and each job is executed once") {
  with_pool(patient(), [](Pool db) { return volt::test::jobs_are_shared<JobQueue>(db, Pool(patient())); });
}

TEST_CASE("a job that fails is repeated, and dead in the end, until it is retried") {
  with_pool(patient(), [](Pool db) { return volt::test::failed_job_is_repeated<JobQueue>(db); });
}

TEST_CASE("a job with a key is pushed once, also after it was done; one of a transaction needs its commit") {
  with_pool(patient(), [](Pool db) { return volt::test::keyed_job_is_pushed_once<JobQueue>(db); });
}

TEST_CASE("the commit of a transaction wakes the worker for its job") {
  with_pool(patient(), [](Pool db) { return volt::test::commit_wakes_the_worker<JobQueue>(db); });
}

// The queues look at their table once an hour. The one that pushes does not work.
TEST_CASE("a queue that listens does the jobs that another process pushes, also in transactions") {
  with_pool(patient(), [](Pool db) -> Task<> {
    JobQueueOptions options = fast("announced");
    options.poll = 1h;
    static_cast<void>(co_await empty_queue<JobQueue>(db, options));
    const Pool other(patient());
    const JobQueue pushing(other, options, patient());
    const std::vector<JobQueue> working = {JobQueue(db, options, patient())};
    const auto attempts = std::make_shared<Attempts>();
    co_await while_working(working, attempts, [&]() -> Task<> {
      for (int round = 0; round != 20; ++round) {
        if (round % 2 == 0) {
          co_await pushing.push(std::to_string(round));
        } else {
          Transaction transaction = co_await other.transaction();
          co_await pushing.push(transaction, std::to_string(round));
          co_await transaction.commit();
        }
        const bool done = co_await jobs_become(db, "done_at is not null", round + 1);
        REQUIRE(done);
      }
    });
    CHECK(attempts->count() == 20);
  });
}

TEST_CASE("the key of a done job is free after keep_done, also if the job was not deleted yet") {
  with_pool(patient(), [](Pool db) {
    return volt::test::key_of_done_job_is_free_later<JobQueue>(db, "clock_timestamp() - interval '70 minutes'",
                                                               "clock_timestamp() - interval '50 minutes'");
  });
}

TEST_CASE("a worker that is cancelled gives its job back, and the attempt does not count") {
  with_pool(patient(), [](Pool db) { return volt::test::cancelled_worker_gives_job_back<JobQueue>(db); });
}

TEST_CASE("a handler that awaits a task that was cancelled has failed") {
  with_pool(patient(), [](Pool db) { return volt::test::handler_that_awaits_cancelled_task_has_failed<JobQueue>(db); });
}

TEST_CASE("an attempt that takes too long is cancelled, and has failed") {
  with_pool(patient(), [](Pool db) { return volt::test::slow_attempt_is_cancelled<JobQueue>(db); });
}

TEST_CASE("the job of a process that has ended is given to another one, as long as it has attempts") {
  with_pool(patient(), [](Pool db) { return volt::test::orphaned_job_is_given_to_another_process<JobQueue>(db); });
}

TEST_CASE("a job is kept from other processes for the time limit of its attempt and the grace") {
  with_pool(patient(), [](Pool db) -> Task<> {
    JobQueueOptions options = fast("lease");
    options.timeout = 1h;
    options.grace = 2h;
    const JobQueue queue = co_await empty_queue<JobQueue>(db, options);
    const auto attempts = std::make_shared<Attempts>();
    co_await queue.push("hang");
    co_await work_until(
        queue, db, attempts,
        "attempt = 1 and run_at > now() + interval '170 minutes' and run_at <= now() + interval '3 hours'", 1);
  });
}

TEST_CASE("a queue reports the jobs of its table, and the attempts of this process") {
  with_pool(patient(), [](Pool db) { return volt::test::queue_reports_jobs_of_the_table<JobQueue>(db, "pg"); });
}

TEST_CASE("an error whose text the database cannot store is recorded in ASCII") {
  with_pool(patient(), [](Pool db) -> Task<> {
    const JobQueue queue = co_await empty_queue<JobQueue>(db, fast("binary"));
    const auto attempts = std::make_shared<Attempts>();
    co_await queue.push("binary");
    co_await work_until(queue, db, attempts, "dead_at is not null and error = '?? ?!'", 1);
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
    const JobQueue queue = co_await empty_queue<JobQueue>(db, options);
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
        &JobQueueOptions::keep_done, &JobQueueOptions::grace}) {
    JobQueueOptions negative;
    negative.*duration = -1ms;
    CHECK_THROWS_AS(JobQueue(Pool(patient()), negative), std::invalid_argument);
  }
}

TEST_SUITE_END();

}  // namespace volt::pg
