// SPDX-License-Identifier: MIT

// A worker with more jobs than fit into its local queue, each of which comes again, and with a global queue that is
// never empty. All of its own jobs must get their turns nonetheless.
#pragma once

#include <array>
#include <cstddef>

#include "tests/model/bodies/loop_worker.h"
#include "tests/model/body.h"

namespace volt::model {

class OverflowBody final : public Body, public LoopHooks {
 public:
  static constexpr unsigned kThreads = 1;
  static constexpr unsigned kWorkers = 1;
  using Worker = LoopWorker<sched::WorkerLoop, OverflowBody, AllQueues>;

  OverflowBody() {
    worker_.set_global_interval(2);
    for (Job& job : own_) worker_.push_back(job);
    for (Job& job : global_) shared_.inject(job);
  }

  void thread(unsigned) override { worker_.work(); }

  void finish() override {
    for (const Job& job : own_) require(job.done == kRounds, "each job runs in each round");
    require(!worker_.has_jobs() && shared_.global().empty(), "no job is left");
  }

  void run(Worker& worker, Job& job) {
    require(++runs_ != kRunsMax, "the jobs of the global queue leave turns to the others");
    ++job.done;
    const bool is_own = &job >= own_.data() && &job < own_.data() + own_.size();
    if (is_own && job.done != kRounds) {
      worker.push_back(job);
    } else if (!is_own && own_ended_ != own_.size()) {
      shared_.inject(job);
    } else {
      ++(is_own ? own_ended_ : global_ended_);
    }
    if (own_ended_ == own_.size() && global_ended_ == global_.size()) shared_.stop();
  }

 private:
  static constexpr int kRounds = 3;
  static constexpr std::size_t kRunsMax = 80;

  typename Worker::Shared shared_;
  Worker worker_{*this, shared_, 0};
  std::array<Job, 7> own_;
  std::array<Job, 5> global_;
  std::size_t runs_ = 0;
  std::size_t own_ended_ = 0;
  std::size_t global_ended_ = 0;
};

}  // namespace volt::model
