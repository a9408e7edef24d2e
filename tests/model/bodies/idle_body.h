// SPDX-License-Identifier: MIT

// The idle protocol: two threads push to the global queue, two workers search, park and wake.
//
// With kHeavy the second thread pushes to the heavy queue, which is another queue of the same class, and from which the
// workers take when the global queue is empty.
#pragma once

#include <array>

#include "tests/model/bodies/loop_worker.h"
#include "tests/model/body.h"

namespace volt::model {

template <template <class, class> class Loop = sched::WorkerLoop, bool kHeavy = false>
class IdleBody final : public Body, public LoopHooks {
 public:
  static constexpr unsigned kThreads = 4;
  static constexpr unsigned kWorkers = 2;
  using Worker = LoopWorker<Loop, IdleBody, OnlySharedQueues>;

  IdleBody() { jobs_[1].heavy = kHeavy; }

  void thread(unsigned index) override {
    if (index < kWorkers) {
      workers_[index].work();
    } else {
      shared_.inject(jobs_[index - kWorkers]);
    }
  }

  void finish() override {
    for (const Job& job : jobs_) require(job.done == 1, "each job is done exactly once");
  }

  // Each job lasts until the other has begun, so neither may be left in the queue while a worker sleeps.
  void run(Worker&, Job& job) {
    ++job.done;
    if (jobs_begun_.fetch_add(1, base::relaxed) == 0) {
      while (jobs_begun_.load(base::relaxed) == 1) pause();
    }
    if (jobs_done_.fetch_add(1, base::relaxed) + 1 == jobs_.size()) shared_.stop();
  }

 private:
  typename Worker::Shared shared_;
  std::array<Worker, kWorkers> workers_{{{*this, shared_, 0}, {*this, shared_, 1}}};
  std::array<Job, kThreads - kWorkers> jobs_;
  base::Atomic<std::uint32_t> jobs_begun_{0};
  base::Atomic<std::uint32_t> jobs_done_{0};
};

}  // namespace volt::model
