// SPDX-License-Identifier: MIT

// Tests of what a worker does at which time, with a table in memory and a manual clock.
#include "database/job_worker.h"

#include <deque>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/spawn.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/reported_metrics.h"

namespace volt::database {
namespace {

using namespace std::chrono_literals;
using volt::test::ManualClockRuntime;
using volt::test::ReportedMetrics;

// The calls that a worker has made.
struct Calls {
  int claims = 0;
  int counts = 0;
  std::vector<std::chrono::milliseconds> deletions;  // the age of the jobs to delete
  std::vector<std::chrono::milliseconds> waits;      // before the next attempt
  std::vector<std::string> buried;
  int finished = 0;
  int failing_claims = 0;   // number of the next claims for which there is no memory
  int failing_watches = 0;  // as above
  int watches = 0;
};

class JobsInMemory final : public JobStore {
 public:
  explicit JobsInMemory(std::shared_ptr<Calls> calls) : calls_(std::move(calls)) {}

  Task<> make_table() override { co_return; }
  Task<bool> push(NewJob job) override {
    jobs_.push_back({.id = 1, .payload = std::move(job.payload)});
    co_return true;
  }
  Task<std::optional<Job>> claim(std::chrono::milliseconds) override {
    ++calls_->claims;
    if (calls_->failing_claims-- > 0) throw std::bad_alloc();
    if (jobs_.empty()) co_return std::nullopt;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    ++job.attempt;
    co_return job;
  }
  Task<bool> finish(Job) override {
    ++calls_->finished;
    co_return true;
  }
  Task<> repeat(Job job, std::string, std::chrono::milliseconds wait) override {
    calls_->waits.push_back(wait);
    jobs_.push_back(std::move(job));
    co_return;
  }
  Task<> bury(Job, std::string error) override {
    calls_->buried.push_back(std::move(error));
    co_return;
  }
  Task<> give_back(Job) override { co_return; }
  Task<> delete_done(std::chrono::milliseconds age) override {
    calls_->deletions.push_back(age);
    if (calls_->deletions.size() == 1) throw std::runtime_error("decided by the test");
    co_return;
  }
  Task<JobCounts> count() override {
    ++calls_->counts;
    co_return JobCounts{.queued = 3, .scheduled = 2, .dead = 1, .oldest_seconds = 1.5};
  }
  Task<std::vector<DeadJob>> dead(int) override { co_return std::vector<DeadJob>(); }
  Task<bool> retry(std::int64_t) override { co_return false; }
  Task<> watch(std::function<void()>) override {
    ++calls_->watches;
    if (calls_->failing_watches-- > 0) throw std::bad_alloc();
    co_return;
  }

 private:
  const std::shared_ptr<Calls> calls_;
  std::deque<Job> jobs_;
};

Task<> fail(Job) { throw std::runtime_error("no"); }

struct Working {
  explicit Working(JobQueueOptions options, Calls first = {})
      : calls(std::make_shared<Calls>(std::move(first))),
        worker(std::make_shared<JobWorker>(std::make_unique<JobsInMemory>(calls), "memory", std::move(options))),
        handle(manual.runtime.spawn(JobWorker::work, worker, std::function<Task<>(Job)>(fail))) {
    manual.settle();
  }
  ~Working() {
    handle.cancel();
    manual.settle();
  }
  void advance(std::chrono::milliseconds time) {
    manual.runtime.advance_clock(time);
    manual.settle();
  }

  ManualClockRuntime manual;
  std::shared_ptr<Calls> calls;
  std::shared_ptr<JobWorker> worker;
  JoinHandle<void> handle;
};

}  // namespace

TEST_SUITE_BEGIN("database/job_worker");

TEST_CASE("an idle queue is cleaned each minute, also after a cleaning that failed, and counted every 15 seconds") {
  Working working({.name = "idle", .poll = 20s, .keep_done = 2h});
  CHECK(working.calls->counts == 1);
  for (int i = 0; i != 3; ++i) working.advance(15s);
  CHECK(working.calls->counts == 4);
  CHECK(working.calls->deletions.empty());
  working.advance(15s);
  CHECK(working.calls->deletions == std::vector<std::chrono::milliseconds>{2h});
  for (int i = 0; i != 8; ++i) working.advance(15s);
  CHECK(working.calls->deletions.size() == 3);
}

TEST_CASE("the wait between attempts doubles up to its limit, with at most half of it random") {
  Working working({.name = "failing", .attempts_max = 5, .backoff_min = 1s, .backoff_max = 3s, .poll = 1s});
  NewJob job = working.worker->new_job("a", {});
  working.manual.result_of(working.manual.runtime.spawn(
      [](std::shared_ptr<JobWorker> worker, NewJob added) { return worker->table().push(std::move(added)); },
      working.worker, std::move(job)));
  for (int i = 0; i != 5; ++i) working.advance(1s);
  const std::vector<std::chrono::milliseconds>& waits = working.calls->waits;
  REQUIRE(waits.size() == 4);
  const std::chrono::milliseconds most[] = {1s, 2s, 3s, 3s};
  for (std::size_t i = 0; i != waits.size(); ++i) {
    CAPTURE(i);
    CHECK(waits[i] >= most[i] / 2);
    CHECK(waits[i] <= most[i]);
  }
  CHECK(working.calls->buried == std::vector<std::string>{"no"});
}

TEST_CASE("a worker works on when memory was lacking for a moment") {
  Working working({.name = "short of memory", .poll = 1s}, {.failing_claims = 2, .failing_watches = 1});
  for (int i = 0; i != 3; ++i) working.advance(1s);
  CHECK(working.calls->watches == 2);
  CHECK(working.calls->claims > 2);
  CHECK(!working.handle.done());
}

TEST_CASE("a worker reports what it has counted") {
  const Working working({.name = "mails"});
  const ReportedMetrics now(*working.worker);
  CHECK(now.at("volt_memory_jobs mails queued") == 3);
  CHECK(now.at("volt_memory_jobs mails scheduled") == 2);
  CHECK(now.at("volt_memory_jobs mails dead") == 1);
  CHECK(now.at("volt_memory_jobs_oldest_seconds mails") == 1.5);
}

TEST_CASE("a process that executes no jobs reports no counts of the table") {
  const auto calls = std::make_shared<Calls>();
  const JobWorker worker(std::make_unique<JobsInMemory>(calls), "memory", {.name = "mails"});
  const ReportedMetrics now(worker);
  CHECK(!now.has("volt_memory_jobs mails queued"));
  CHECK(now.at("volt_memory_jobs_running mails") == 0);
}

TEST_SUITE_END();

}  // namespace volt::database
