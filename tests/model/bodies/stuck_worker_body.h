// SPDX-License-Identifier: MIT

// A worker is stuck in a task and has jobs in each of its queues; another one searches, and rescues them. With kHeld
// the task lasts until all other jobs have run, so the rescuer must take every one. Otherwise the task ends at some
// point, and both workers take jobs. kQueued jobs are pushed to its local queue, of which four fit. Without them no job
// waits where an ordinary theft would find it, so that only the search can find the stuck worker: a worker that has run
// a job looks for stuck ones in any case.
#pragma once

#include <array>

#include "tests/model/bodies/loop_worker.h"
#include "tests/model/body.h"

namespace volt::model {

template <bool kHeld, template <class, class> class Loop = sched::WorkerLoop, std::uint32_t kQueued = 1>
class StuckWorkerBody final : public Body, public LoopHooks {
 public:
  static constexpr unsigned kThreads = 2;
  static constexpr unsigned kWorkers = 2;
  using Worker = LoopWorker<Loop, StuckWorkerBody, AllQueues>;

  StuckWorkerBody() {
    shared_.watchdog().stuck = true;
    Worker& stuck = workers_[0];
    jobs_[0].work_class.urgent = true;
    stuck.push_back(jobs_[0]);
    stuck.push_next(jobs_[1]);
    stuck.inbox_.post(jobs_[2]);
    for (std::uint32_t i = kJobs - kQueued; i != kJobs; ++i) stuck.push_back(jobs_[i]);
  }

  void thread(unsigned index) override {
    if (index == 0) {
      while (kHeld && jobs_done_.load(base::relaxed) != kJobs) pause();
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
    if (jobs_done_.fetch_add(1, base::relaxed) + 1 == kJobs) shared_.stop();
  }

 private:
  static constexpr std::uint32_t kJobs = 3 + kQueued;

  typename Worker::Shared shared_;
  std::array<Worker, kWorkers> workers_{{{*this, shared_, 0}, {*this, shared_, 1}}};
  std::array<Job, kJobs> jobs_;
  base::Atomic<bool> stuck_{true};
  base::Atomic<std::uint32_t> jobs_done_{0};
};

}  // namespace volt::model
