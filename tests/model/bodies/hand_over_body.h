// SPDX-License-Identifier: MIT

// A spare leaves while it has a task, while an edge arrives for a stream whose home it is, and while the task of that
// stream closes it elsewhere. Two workers search, park and wake. Each task must run exactly once, on a worker if the
// spare has left, and the message must be handled by the spare, whose thread must then end. With kStops the scheduler
// stops as soon as the tasks have ended, and the message may still be on its way; otherwise it stops after the message.
//
// The loops of the spare and the workers, the duty, the idle state, the queues, the inbox and the source are the
// runtime's. The code around them repeats SpareWorkers::retire_all and Socket::close (runtime/net/socket.cpp).
#pragma once

#include <array>

#include "tests/model/bodies/loop_worker.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose, beside those of the loop (mutants.cmake); the explorer must find each of them.
enum class HandOverFault : std::uint8_t {
  none,
  ends_with_stream,  // the thread ends although the spare is still the home of a stream
  no_wake_for_post,  // a message to a spare does not wake it
};

template <bool kStops, HandOverFault kFault = HandOverFault::none,
          template <class, class> class Loop = sched::SpareLoop>
class HandOverBody final : public Body, public LoopHooks {
 public:
  static constexpr unsigned kThreads = 4;
  static constexpr unsigned kWorkers = 2;
  using Worker = LoopWorker<Loop, HandOverBody, LocalQueues>;

  HandOverBody() : source_(*new io::Source(-1)) {
    require(spare_.duty_.start_to_serve(), "a new spare has no thread");
    spare_.push_back(jobs_[0]);
  }

  void thread(unsigned index) override {
    if (index < kWorkers) workers_[index].work();
    if (index == kWorkers) spare_.work_as_spare();
    if (index == kWorkers + 1) {
      spare_.duty_.start_to_leave();  // as SpareWorkers::retire_all
      spare_.wakes.signal_in_order();
      arrived_.store(true, base::release);  // the edge, from the kernel
      spare_.wakes.signal_in_order();
    }
  }

  void finish() override {
    for (const Job& job : jobs_) require(job.done == 1, "each task runs exactly once");
    require(messages_ == 1, "the message is handled exactly once");
    require(!spare_.has_jobs(), "a spare that has left has no task");
    source_.drop_reference();
  }

  void collect_events(Worker& worker) {
    if (&worker == &spare_ && arrived_.exchange(false, base::acquire)) worker.wake_by_event(jobs_[1]);
    worker.collect_inbox();
  }
  void unwatch(io::Source& source) {
    require(&source == &source_, "a message arrives as it was posted");
    ++messages_;
    --home_of_;
    if (!kStops) ended_one();
  }
  [[nodiscard]] bool may_end_spare(const Worker&) const {
    return home_of_ == 0 || kFault == HandOverFault::ends_with_stream;
  }

  // The task that the edge woke closes its stream.
  void run(Worker&, Job& job) {
    ++job.done;
    if (&job == &jobs_[1]) {
      spare_.inbox_.post(source_.close_request);
      if (kFault != HandOverFault::no_wake_for_post) spare_.wakes.signal_in_order();
    }
    ended_one();
  }

 private:
  static constexpr std::uint32_t kUntilStop = kStops ? 2 : 3;

  void ended_one() {
    if (ended_.fetch_add(1, base::acq_rel) + 1 == kUntilStop) shared_.stop();
  }

  typename Worker::Shared shared_;
  std::array<Worker, kWorkers> workers_{{{*this, shared_, 0}, {*this, shared_, 1}}};
  Worker spare_{*this, shared_, kWorkers};
  std::uint32_t home_of_ = 1;  // belongs to the spare
  int messages_ = 0;           // belongs to the spare
  io::Source& source_;
  base::Atomic<bool> arrived_{false};
  std::array<Job, 2> jobs_;
  base::Atomic<std::uint32_t> ended_{0};  // jobs and, without kStops, the message
};

}  // namespace volt::model
