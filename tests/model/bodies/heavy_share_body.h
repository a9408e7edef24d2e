// SPDX-License-Identifier: MIT

// A worker whose light and heavy jobs never run out. Heavy jobs are due after a number of light ones, which stands for
// the time of Worker::heavy_is_due. Both kinds must get their share: a heavy job runs as soon as it is due and events
// have been collected, and no sooner. The other thread pushes a second heavy job and a light one, which must run, too.
#pragma once

#include "tests/model/bodies/loop_worker.h"
#include "tests/model/body.h"

namespace volt::model {

template <template <class, class> class Loop = sched::WorkerLoop>
class HeavyShareBody final : public Body, public LoopHooks {
 public:
  static constexpr unsigned kThreads = 2;
  static constexpr unsigned kWorkers = 1;
  static constexpr std::uint32_t kPollsBeforeIo = 2;
  using Worker = LoopWorker<Loop, HeavyShareBody, AllQueues>;

  HeavyShareBody() {
    heavy_again_.heavy = heavy_.heavy = true;
    worker_.set_global_interval(2);
    worker_.push_back(light_again_);
    worker_.push_back(heavy_again_);
  }

  void thread(unsigned index) override {
    if (index == 0) return worker_.work();
    shared_.inject(heavy_);
    shared_.inject(light_);
    pushing_thread_.has_ended();
  }

  void finish() override {
    require(heavy_.done == 1 && light_.done == 1, "each job runs exactly once");
    require(!worker_.has_jobs() && shared_.global().empty() && shared_.heavy().empty(), "no job is left");
  }

  [[nodiscard]] bool heavy_is_due(const Worker&) const { return light_time_ >= kLightPolls; }
  void note_due_turn(Worker&) { light_time_ = 0; }

  void run(Worker& worker, Job& job) {
    ++job.done;
    if (!job.heavy) ++light_time_;
    if (!is_over_ && job.heavy) {
      require(light_polls_ >= kLightPolls, "light jobs get their share");
      light_polls_ = 0;
    }
    if (!is_over_ && !job.heavy) {
      require(++light_polls_ <= kLightPolls + kPollsBeforeIo, "heavy jobs get their share");
    }
    is_over_ = heavy_again_.done >= 2 && heavy_.done != 0 && light_.done != 0;
    if (is_over_) return shared_.stop();
    pushing_thread_.let_end();
    if (&job == &light_again_ || &job == &heavy_again_) worker.push_back(job);
  }

 private:
  static constexpr std::uint32_t kLightPolls = 3;

  typename Worker::Shared shared_;
  Worker worker_{*this, shared_, 0};
  Job light_again_, heavy_again_, light_, heavy_;
  std::uint32_t light_time_ = 0;   // as Worker::light_time_ns_: since the last heavy job that was noted
  std::uint32_t light_polls_ = 0;  // since the last heavy job
  bool is_over_ = false;
  PushingThread pushing_thread_;
};

}  // namespace volt::model
