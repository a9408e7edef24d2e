// SPDX-License-Identifier: MIT

// A worker that searches has something to do before it parks, such as a trim of its frame pool (Worker::before_park),
// while one job is pushed to the global queue and one to its inbox. The threads that push see that it searches, or that
// it is not parked, and do not wake it. So it must look for work again before it sleeps.
#pragma once

#include <array>

#include "tests/model/bodies/loop_worker.h"
#include "tests/model/body.h"

namespace volt::model {

template <template <class, class> class Loop = sched::WorkerLoop>
class TrimBody final : public Body, public LoopHooks {
 public:
  static constexpr unsigned kThreads = 3;
  static constexpr unsigned kWorkers = 1;
  using Worker = LoopWorker<Loop, TrimBody, OnlySharedQueues>;

  void thread(unsigned index) override {
    if (index == 0) worker_.work();
    if (index == 1) shared_.inject(jobs_[0]);
    if (index == 2) worker_.post(jobs_[1]);
  }

  void finish() override {
    for (const Job& job : jobs_) require(job.done == 1, "each job is done exactly once");
  }

  // Each trim has two steps. After the first one the worker looks for work.
  [[nodiscard]] bool before_park(Worker&) {
    trims_ = !trims_;
    return !trims_;
  }

  void run(Worker&, Job& job) {
    ++job.done;
    if (++jobs_done_ == jobs_.size()) shared_.stop();
  }

 private:
  typename Worker::Shared shared_;
  Worker worker_{*this, shared_, 0};
  std::array<Job, 2> jobs_;
  bool trims_ = false;           // belongs to the worker
  std::uint32_t jobs_done_ = 0;  // belongs to the worker
};

}  // namespace volt::model
