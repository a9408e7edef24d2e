// SPDX-License-Identifier: MIT

// A task that waits for an edge is inspected twice, as by read_await_chain(), while it is woken by the edge, cancelled
// and ends. It must run to its end exactly once, and its wait must not change while it is read.
#pragma once

#include <coroutine>

#include "runtime/io/source.h"
#include "tests/model/bodies/task_state_body.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class InspectionFault : std::uint8_t {
  none,
  wake_forgotten,    // a task that was woken during the inspection is not queued
  cancel_forgotten,  // a cancel that came during the inspection is not delivered
  no_claim,          // a task is read although it may run
  no_reference,      // a task may be destroyed while it is read
};

// If `kReports` is false, only the cancel ends the wait.
template <bool kReports, InspectionFault kFault = InspectionFault::none>
class InspectionBody final : public Body {
 public:
  static constexpr unsigned kThreads = kReports ? 4 : 3;

  InspectionBody() : source_(*new io::Source(-1)) {
    if (kReports) source_.add_reference();  // for the thread that reports
    task_ = new Tasklet(wait_for_edge(*this), 3, destroyed_);
  }

  void thread(unsigned index) override {
    switch (index) {
      case 0:
        return task_->run();
      case 1:
        return inspect();
      case 2:
        sched::cancel(*task_);
        return task_->release();
      case 3:
        return report();
    }
  }

  void finish() override {
    require(destroyed_ == 1, "the task is destroyed exactly once");
    require(runs_ == 1, "the task ran to its end exactly once");
  }

 private:
  void report() {
    base::Chain<io::Completion> woken;
    source_.report(io::Source::kReadable, woken);
    while (io::Completion* completion = woken.pop_front()) sched::wake(*completion->task);
    source_.drop_reference();
  }

  void inspect() {
    if (kFault == InspectionFault::no_reference) task_->release();
    for (int i = 0; i != 2; ++i) {
      if (!task_->state.try_claim() && kFault != InspectionFault::no_claim) continue;
      require(task_->wait == nullptr || task_->wait->task == task_, "the wait that is read is the task's");
      require(static_cast<bool>(task_->resume_point.frame), "the frame that is read exists");
      end();
    }
    if (kFault != InspectionFault::no_reference) task_->release();
  }

  void end() {
    switch (kFault) {
      case InspectionFault::wake_forgotten:
        if (task_->state.end_run() == sched::TaskState::RunEnd::cancelled) sched::deliver_cancel(*task_);
        return;
      case InspectionFault::cancel_forgotten:
        task_->state.begin_delivery();
        if (task_->state.end_delivery() == sched::TaskState::DeliveryEnd::enqueue) sched::enqueue(*task_);
        return;
      default:
        return sched::end_inspection(*task_);
    }
  }

  static Routine wait_for_edge(InspectionBody& self) {
    try {
      co_await EdgeWait(self.source_);
    } catch (const Cancelled&) {  // decided: both outcomes are correct
    }
    ++self.runs_;
    self.source_.drop_reference();
  }

  io::Source& source_;
  int runs_ = 0;
  int destroyed_ = 0;
  Tasklet* task_;
};

}  // namespace volt::model
