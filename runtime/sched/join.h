// SPDX-License-Identifier: MIT

// JoinWait: a task's wait until another task is done, with an optional deadline.
//
// Threads: the joining task's own, except task_done() and fire(), which race to wake the joining task. TaskState
// decides between them.
#pragma once

#include "runtime/sched/current.h"
#include "runtime/sched/suspension.h"
#include "runtime/sched/timer.h"

namespace volt::sched {

// The effect of a cancellation of the joining task on the joined task.
enum class OnCancel : std::uint8_t {
  leave,      // the join ends, the joined task continues
  propagate,  // the joined task is cancelled too, and the join lasts until that task is done
};

class JoinWait final : public Suspension, public DoneHook, public Timer {
 public:
  JoinWait(TaskHeader& joined, OnCancel on_cancel, std::int64_t deadline_ns = kNever) noexcept
      : joined_(joined), on_cancel_(on_cancel), until_ns_(deadline_ns) {}

  [[nodiscard]] bool await_ready() noexcept {
    const bool cancelled = begin();
    if (cancelled && on_cancel_ == OnCancel::propagate) sched::cancel(joined_);
    return joined_.state.done() || (cancelled && on_cancel_ == OnCancel::leave);
  }

  [[nodiscard]] bool await_suspend(coro::AwaitPoint point) noexcept {
    suspend_at(point, WaitsFor::task);
    joined_.on_done = this;
    if (joined_.state.start_join() == TaskState::Join::done) return false;
    if (until_ns_ != kNever) arm(until_ns_);
    return true;
  }

  // Returns true if the task is done, false if the deadline came first.
  bool await_resume() {
    if (until_ns_ != kNever) disarm();
    if (on_cancel_ == OnCancel::leave) throw_if_cancelled();
    return joined_.state.done();
  }

  bool cancel() noexcept override {
    if (on_cancel_ == OnCancel::propagate) {
      sched::cancel(joined_);
      return false;  // the end of the joined task wakes the joining one
    }
    if (!joined_.state.stop_join()) return false;
    set_cancelled();
    return true;
  }

  void task_done(TaskHeader&) noexcept override { wake(*task); }
  io::Completion* fire() noexcept override { return joined_.state.stop_join() ? this : nullptr; }

 private:
  TaskHeader& joined_;
  const OnCancel on_cancel_;
  const std::int64_t until_ns_;
};

}  // namespace volt::sched
