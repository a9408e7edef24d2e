// SPDX-License-Identifier: MIT

#include "sqlite/job_queue.h"

#include <memory>
#include <string>
#include <vector>

#include "tests/sqlite/database.h"
#include "tests/support/job_queue_cases.h"

namespace volt::sqlite {
namespace {

using namespace test;
using volt::test::Attempts;
using volt::test::empty_queue;
using volt::test::fast;
using volt::test::work_until;

constexpr std::string_view kNow = "(julianday('now') - 2440587.5) * 86400000";

std::string minutes_ago(int minutes) {
  return "cast(" + std::string(kNow) + " as integer) - " + std::to_string(minutes) + " * 60000";
}

}  // namespace

TEST_SUITE_BEGIN("sqlite/job_queue");

TEST_CASE("pools share the jobs of a queue, and each job is executed once") {
  with_file([](Pool db, PoolOptions options) { return volt::test::jobs_are_shared<JobQueue>(db, Pool(options)); });
}

TEST_CASE("a job that fails is repeated, and dead in the end, until it is retried") {
  with_file([](Pool db, PoolOptions) { return volt::test::failed_job_is_repeated<JobQueue>(db); });
}

TEST_CASE("a job with a key is pushed once, also after it was done; one of a transaction needs its commit") {
  with_file([](Pool db, PoolOptions) { return volt::test::keyed_job_is_pushed_once<JobQueue>(db); });
}

TEST_CASE("the commit of a transaction wakes the worker for its job") {
  with_file([](Pool db, PoolOptions) { return volt::test::commit_wakes_the_worker<JobQueue>(db); });
}

TEST_CASE("the key of a done job is free after keep_done, also if the job was not deleted yet") {
  with_file([](Pool db, PoolOptions) {
    return volt::test::key_of_done_job_is_free_later<JobQueue>(db, minutes_ago(70), minutes_ago(50));
  });
}

TEST_CASE("a worker that is cancelled gives its job back, and the attempt does not count") {
  with_file([](Pool db, PoolOptions) { return volt::test::cancelled_worker_gives_job_back<JobQueue>(db); });
}

TEST_CASE("a handler that awaits a task that was cancelled has failed") {
  with_file(
      [](Pool db, PoolOptions) { return volt::test::handler_that_awaits_cancelled_task_has_failed<JobQueue>(db); });
}

TEST_CASE("an attempt that takes too long is cancelled, and has failed") {
  with_file([](Pool db, PoolOptions) { return volt::test::slow_attempt_is_cancelled<JobQueue>(db); });
}

TEST_CASE("the job of a process that has ended is given to another one, as long as it has attempts") {
  with_file([](Pool db, PoolOptions) { return volt::test::orphaned_job_is_given_to_another_process<JobQueue>(db); });
}

TEST_CASE("a queue reports the jobs of its table, and the attempts of this process") {
  with_file([](Pool db, PoolOptions) { return volt::test::queue_reports_jobs_of_the_table<JobQueue>(db, "sqlite"); });
}

TEST_CASE("an error of any bytes is recorded") {
  with_file([](Pool db, PoolOptions) -> Task<> {
    const JobQueue queue = co_await empty_queue<JobQueue>(db, fast("binary"));
    const auto attempts = std::make_shared<Attempts>();
    co_await queue.push("binary");
    co_await work_until(queue, db, attempts, "dead_at is not null", 1);
    const std::vector<DeadJob> dead = co_await queue.dead();
    REQUIRE(dead.size() == 1);
    CHECK(dead[0].error == "\xc3\xa9 \xff!");
  });
}

TEST_SUITE_END();

}  // namespace volt::sqlite
