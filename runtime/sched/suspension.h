// SPDX-License-Identifier: MIT

// Suspension: the part common to every awaiter of the framework: cancellation, budget, and registration as the task's
// wait.
//
//   await_ready:    if (begin()) return true;                 // cancelled: await_resume will throw
//                   if (budget_exhausted()) return false;     // then await_suspend yields if it need not wait
//   await_suspend:  suspend_at(frame, WaitsFor::timer); publish; ...
//   await_resume:   throw_if_cancelled();
//
// A branch of a select() (runtime/sched/select_wait.h) is not awaited. Its select() calls join_select(),
// start_branch(), and then leave() or await_resume().
//
// Threads: the task's own, except claim().
#pragma once

#include <coroutine>

#include "runtime/sched/cancel.h"
#include "runtime/sched/current.h"
#include "runtime/sched/task_header.h"

namespace volt::sched {

class SelectWait;

class Suspension : public Wait {
 public:
  // Makes this wait a branch of the select() of task `chooser`.
  void join_select(TaskHeader& chooser) noexcept {
    task = &chooser;
    branch_ = true;
  }
  [[nodiscard]] bool is_branch() const noexcept { return branch_; }

  // Claims the right to complete this wait. A completer calls this under the lock of the queue in which it found the
  // waiter, so that no other thread can remove the waiter. Returns false if another branch of the waiter's select() was
  // served. Defined in runtime/sched/select_wait.h.
  [[nodiscard]] bool claim() noexcept;

 protected:
  ~Suspension() = default;

  // Starts the await. Returns true if the task is cancelled; the task must not suspend then.
  [[nodiscard]] bool begin() noexcept {
    const Context* context = current();
    VOLT_CHECK(context != nullptr && context->task != nullptr);  // awaits of the runtime need a task of the runtime
    task = context->task;
    cancelled_ = task->cancelled();
    return cancelled_;
  }

  enum class BeginResult : std::uint8_t { cancelled, budget_exhausted, ready };
  // Combines begin() and, if it returns false, budget_exhausted().
  [[nodiscard]] BeginResult begin_turn() noexcept {
    Context* context = current();
    VOLT_CHECK(context != nullptr && context->task != nullptr);
    task = context->task;
    cancelled_ = task->cancelled();
    if (cancelled_) return BeginResult::cancelled;
    return context->budget.consume() ? BeginResult::ready : BeginResult::budget_exhausted;
  }

  // Consumes one operation of the task's budget. Returns true if the budget was empty: the task must let other tasks
  // run.
  [[nodiscard]] static bool budget_exhausted() noexcept { return !current()->budget.consume(); }

  // Suspends the task at `frame`; a wake through this wait resumes it.
  void suspend_at(std::coroutine_handle<> frame, WaitsFor what) noexcept {
    task->resume_point = frame;
    task->wait = this;
    task->waits_for.store(what, base::relaxed);  // relaxed: a report
  }

  // Suspends the task at `frame` only to let other tasks run.
  void yield_at(std::coroutine_handle<> frame) noexcept {
    task->resume_point = frame;
    task->yielded = true;
  }

  // Makes the worker run other tasks first and then call recheck(). Must be called after suspend_at().
  void yield_and_recheck() noexcept {
    task->yielded = true;
    task->rechecks_wait = true;
  }

  // Records the cancellation. Called in cancel(), after the wait was claimed for the cancellation.
  void set_cancelled() noexcept { cancelled_ = true; }

  void throw_if_cancelled() const {
    if (cancelled_) throw Cancelled{};
  }

 private:
  bool cancelled_ = false;
  bool branch_ = false;
};

}  // namespace volt::sched
