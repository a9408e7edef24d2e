// SPDX-License-Identifier: MIT

// Two workers with all their queues, and a thread that pushes two jobs at once to the global queue. The first job wakes
// two others: the second of these displaces the first from the LIFO slot, and thieves may take it.
#pragma once

#include <array>

#include "tests/model/bodies/loop_worker.h"
#include "tests/model/body.h"

namespace volt::model {

template <template <class, class> class Loop = sched::WorkerLoop>
class LoopBody final : public Body, public LoopHooks {
 public:
  static constexpr unsigned kThreads = 3;
  static constexpr unsigned kWorkers = 2;
  using Worker = LoopWorker<Loop, LoopBody, AllQueues>;

  void thread(unsigned index) override {
    if (index < kWorkers) return workers_[index].work();
    base::Chain<Job> jobs;
    jobs.push_back(&jobs_[0]);
    jobs.push_back(&jobs_[1]);
    shared_.global().push(std::move(jobs));
    shared_.notify_one();
  }

  void finish() override {
    for (const Job& job : jobs_) require(job.done == 1, "each job runs exactly once");
    for (Worker& worker : workers_) require(!worker.has_jobs(), "no job is left");
  }

  void run(Worker& worker, Job& job) {
    ++job.done;
    if (&job == &jobs_[0]) {
      worker.push_next(jobs_[2]);
      worker.push_next(jobs_[3]);
    }
    if (jobs_done_.fetch_add(1, base::relaxed) + 1 == jobs_.size()) shared_.stop();
  }

 private:
  typename Worker::Shared shared_;
  std::array<Worker, kWorkers> workers_{{{*this, shared_, 0}, {*this, shared_, 1}}};
  std::array<Job, 4> jobs_;
  base::Atomic<std::uint32_t> jobs_done_{0};
};

}  // namespace volt::model
