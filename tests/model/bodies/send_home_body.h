// SPDX-License-Identifier: MIT

// A spare leaves while its stream cannot move yet, because the worker that the stream has left for the spare is still
// stuck and has not ended its poll. No thread wakes the spare when that poll has ended, so it must try again after a
// while. The stream's task then runs on a worker and closes the stream, and the spare ends.
//
// The body replaces Worker::send_streams_home, whose source still leaves its former home (io::Source::leaving), and the
// timeout of Worker::sleep_as_spare.
#pragma once

#include "tests/model/bodies/loop_worker.h"
#include "tests/model/body.h"

namespace volt::model {

template <template <class, class> class Loop = sched::SpareLoop>
class SendHomeBody final : public Body, public LoopHooks {
 public:
  static constexpr unsigned kThreads = 3;
  static constexpr unsigned kWorkers = 1;
  using Worker = LoopWorker<Loop, SendHomeBody, LocalQueues>;

  SendHomeBody() : source_(*new io::Source(-1)) { require(spare_.duty_.start_to_serve(), "a new spare has no thread"); }

  void thread(unsigned index) override {
    if (index == 0) worker_.work();
    if (index == 1) spare_.work_as_spare();
    if (index == 2) {
      while (!has_served_.load(base::relaxed)) pause();
      spare_.duty_.start_to_leave();  // as SpareWorkers::retire_all
      spare_.wakes.signal_in_order();
      may_move_.store(true, base::release);  // the stuck worker is back, and has ended its poll
    }
  }

  void finish() override {
    require(job_.done == 1, "the task of the stream runs exactly once");
    require(home_of_ == 0, "the message is handled");
    require(!spare_.has_jobs(), "a spare that has left has no task");
    source_.drop_reference();
  }

  [[nodiscard]] std::int64_t tick_time_ns(const Worker& worker) const { return &worker == &spare_ ? now_ns_ : 0; }
  [[nodiscard]] bool send_streams_home(Worker& spare) {
    if (!may_move_.load(base::acquire)) return false;
    spare.wake_by_event(job_);
    return true;
  }
  [[nodiscard]] bool may_end_spare(const Worker&) const { return home_of_ == 0; }
  // A sleep with a timeout ends when the stream may move, because shorter ones would only repeat the attempt.
  void sleep_as_spare(Worker& spare, std::int64_t send_home_at_ns) {
    has_served_.store(true, base::relaxed);
    if (send_home_at_ns == sched::TimerNode::kNever) return spare.wakes.wait();
    while (!may_move_.load(base::relaxed)) pause();
    now_ns_ = send_home_at_ns;
  }
  void unwatch(io::Source& source) {
    require(&source == &source_, "a message arrives as it was posted");
    --home_of_;
    shared_.stop();
  }

  void run(Worker& worker, Job& job) {
    ++job.done;
    require(&worker == &worker_, "a spare that leaves runs no task");
    spare_.inbox_.post(source_.close_request);
    spare_.wakes.signal_in_order();
  }

 private:
  typename Worker::Shared shared_;
  Worker worker_{*this, shared_, 0};
  Worker spare_{*this, shared_, kWorkers};
  io::Source& source_;
  Job job_;
  base::Atomic<bool> has_served_{false};
  base::Atomic<bool> may_move_{false};
  std::int64_t now_ns_ = 0;    // belongs to the spare
  std::uint32_t home_of_ = 1;  // belongs to the spare
};

}  // namespace volt::model
