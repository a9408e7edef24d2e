// SPDX-License-Identifier: MIT

// ChildrenWait: the wait of a task for its children. It never throws Cancelled: if the task is cancelled, the wait
// cancels the children and continues until they have ended, so that no child outlives the call that started it.
//
// `Group` provides:
//   cancel_all()               cancels every child; any thread may call it while the task waits
//   start_wait(Suspension&)    returns whether the task must wait; the group then wakes it once
//
// Threads: the waiting task's own, except cancel().
#pragma once

#include "runtime/sched/suspension.h"

namespace volt::sched {

template <class Group>
class ChildrenWait final : public Suspension {
 public:
  explicit ChildrenWait(Group& group) noexcept : group_(group) {}

  [[nodiscard]] bool await_ready() noexcept {
    if (begin()) group_.cancel_all();  // and still waits: the group never leaves a child running
    return false;
  }

  [[nodiscard]] bool await_suspend(coro::AwaitPoint point) noexcept {
    suspend_at(point, WaitsFor::children);
    return group_.start_wait(*this);
  }

  void await_resume() const noexcept {}

  [[nodiscard]] bool cancel() noexcept override {
    group_.cancel_all();
    return false;  // the end of the children wakes the task
  }

 private:
  Group& group_;
};

}  // namespace volt::sched
