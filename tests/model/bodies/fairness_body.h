// SPDX-License-Identifier: MIT

// A worker whose queues never become empty: two jobs wake each other in the LIFO slot, one comes again in the local
// queue, and one in the queue of pinned tasks. A job in the global queue, one in the inbox, an urgent one, and one
// behind the others in the local queue must run nonetheless, and events must be collected at regular intervals.
#pragma once

#include <array>

#include "tests/model/bodies/loop_worker.h"
#include "tests/model/body.h"

namespace volt::model {

template <template <class, class> class Loop = sched::WorkerLoop>
class FairnessBody final : public Body, public LoopHooks {
 public:
  static constexpr unsigned kThreads = 2;
  static constexpr unsigned kWorkers = 1;
  static constexpr std::uint32_t kPollsBeforeIo = 5;
  using Worker = LoopWorker<Loop, FairnessBody, AllQueues>;

  FairnessBody() {
    pinned_.pinned = true;
    urgent_.work_class.urgent = true;
    worker_.set_global_interval(2);
    worker_.push_next(ping_);
    worker_.push_back(again_);
    worker_.push_back(pinned_);
    worker_.push_back(local_);
  }

  void thread(unsigned index) override {
    if (index == 0) return worker_.work();
    shared_.inject(global_);
    worker_.post(posted_);
    pushing_thread_.has_ended();
  }

  void finish() override {
    for (const Job* job : {&local_, &global_, &posted_, &urgent_})
      require(job->done == 1, "each job runs exactly once");
    require(!worker_.has_jobs() && shared_.global().empty(), "no job is left");
  }

  void collect_events(Worker& worker) {
    polls_since_io_ = 0;
    worker.collect_inbox();
  }

  void run(Worker& worker, Job& job) {
    ++job.done;
    require(++polls_since_io_ <= kPollsBeforeIo, "events are collected at regular intervals");
    if (&job == &ping_ && job.done == 1) worker.push_back(urgent_);
    if (is_over()) return shared_.stop();
    pushing_thread_.let_end();
    if (&job == &ping_) worker.push_next(pong_);
    if (&job == &pong_) worker.push_next(ping_);
    if (&job == &again_ || &job == &pinned_) worker.push_back(job);
  }

 private:
  [[nodiscard]] bool is_over() const {
    return local_.done != 0 && global_.done != 0 && posted_.done != 0 && urgent_.done != 0 && pinned_.done != 0;
  }

  typename Worker::Shared shared_;
  Worker worker_{*this, shared_, 0};
  Job ping_, pong_, again_, pinned_, local_, global_, posted_, urgent_;
  std::uint32_t polls_since_io_ = 0;
  PushingThread pushing_thread_;
};

}  // namespace volt::model
