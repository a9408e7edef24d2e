// SPDX-License-Identifier: MIT

// A worker is stuck in a task and has jobs in each of its queues; another one searches, and rescues them. With kHeld
// the task lasts until all other jobs have run, so the rescuer must take every one. Otherwise the task ends at some
// point, and both workers take jobs.
#pragma once

#include <array>

#include "tests/model/bodies/loop_worker.h"
#include "tests/model/body.h"

namespace volt::model {

template <bool kHeld, template <class, class> class Loop = sched::WorkerLoop>
class StuckWorkerBody final : public Body, public LoopHooks {
 public:
  static constexpr unsigned kThreads = 2;
  static constexpr unsigned kWorkers = 2;
  using Worker = LoopWorker<Loop, StuckWorkerBody, AllQueues>;

  StuckWorkerBody() {
    Worker& stuck = workers_[0];
    jobs_[0].work_class.urgent = true;
    stuck.push_back(jobs_[0]);
    stuck.push_back(jobs_[1]);
    stuck.push_next(jobs_[2]);
    stuck.inbox_.post(jobs_[3]);
  }

  void thread(unsigned index) override {
    if (index == 0) {
      while (kHeld && jobs_done_.load(base::relaxed) != jobs_.size()) pause();
      stuck_.store(false, base::relaxed);
    }
    workers_[index].work();
  }

  void finish() override {
    for (const Job& job : jobs_) require(job.done == 1, "each job runs exactly once");
    for (Worker& worker : workers_) require(!worker.has_jobs(), "no job is left");
  }

  [[nodiscard]] bool stuck(const Worker& worker) const { return worker.index_ == 0 && stuck_.load(base::relaxed); }

  void run(Worker&, Job& job) {
    ++job.done;
    if (jobs_done_.fetch_add(1, base::relaxed) + 1 == jobs_.size()) shared_.stop();
  }

 private:
  typename Worker::Shared shared_;
  std::array<Worker, kWorkers> workers_{{{*this, shared_, 0}, {*this, shared_, 1}}};
  std::array<Job, 4> jobs_;
  base::Atomic<bool> stuck_{true};
  base::Atomic<std::uint32_t> jobs_done_{0};
};

}  // namespace volt::model
