// SPDX-License-Identifier: MIT

// A worker finds a heavy job while light ones wait: one in the queue of another worker, whose task lasts until all
// light jobs have run, and one as an event of its own. Both must run before the heavy job.
#pragma once

#include <array>

#include "tests/model/bodies/loop_worker.h"
#include "tests/model/body.h"

namespace volt::model {

template <template <class, class> class Loop = sched::WorkerLoop>
class LightFirstBody final : public Body, public LoopHooks {
 public:
  static constexpr unsigned kThreads = 2;
  static constexpr unsigned kWorkers = 2;
  using Worker = LoopWorker<Loop, LightFirstBody, AllQueues>;

  LightFirstBody() {
    heavy_.heavy = true;
    workers_[0].push_back(queued_);
    workers_[1].push_back(heavy_);
  }

  void thread(unsigned index) override {
    if (index == 0) {
      while (light_done_.load(base::relaxed) != 2) pause();
    }
    workers_[index].work();
  }

  void finish() override {
    for (const Job* job : {&queued_, &event_, &heavy_}) require(job->done == 1, "each job runs exactly once");
    for (Worker& worker : workers_) require(!worker.has_jobs(), "no job is left");
  }

  // The event comes when the worker has collected events once, and has found nothing light in its queues.
  void collect_events(Worker& worker) {
    if (worker.index_ == 1 && ++collections_ == 2) worker.wake_by_event(event_);
    worker.collect_inbox();
  }

  void run(Worker&, Job& job) {
    ++job.done;
    if (&job == &heavy_) {
      require(light_done_.load(base::relaxed) == 2, "light jobs run before heavy ones");
      shared_.stop();
    } else {
      light_done_.fetch_add(1, base::relaxed);
    }
  }

 private:
  typename Worker::Shared shared_;
  std::array<Worker, kWorkers> workers_{{{*this, shared_, 0}, {*this, shared_, 1}}};
  Job queued_, event_, heavy_;
  std::uint32_t collections_ = 0;  // of the second worker
  base::Atomic<std::uint32_t> light_done_{0};
};

}  // namespace volt::model
