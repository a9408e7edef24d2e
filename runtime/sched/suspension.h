// SPDX-License-Identifier: MIT

// Suspension: the base class of every awaiter that suspends a task. It contains the functions that all of them need:
// for cancellation, for the task's budget, and for recording the awaiter as the task's current wait (TaskHeader::wait).
// An awaiter calls them as follows:
//
//   await_ready:    if (begin()) return true;                 // cancelled: await_resume will throw
//                   if (budget_exhausted()) return false;     // await_suspend must let other tasks run
//   await_suspend:  suspend_at(point, WaitsFor::timer); publish; ...
//   await_resume:   throw_if_cancelled();
//
// The branches of a select() (runtime/sched/select_wait.h) are awaiters, too, but are not used with co_await. The
// select() calls join_select() and start_branch() of each branch that it starts, then await_resume() of the branch that
// won and leave() of the others.
//
// Threads: any thread may call claim(); the other functions are called by the thread that runs or cancels the task.
#pragma once

#include "runtime/sched/cancel.h"
#include "runtime/sched/current.h"
#include "runtime/sched/task_header.h"

namespace volt::sched {

class SelectWait;

class Suspension : public Wait {
 public:
  // Makes this wait a branch of the select() of task `chooser`.
  void join_select(TaskHeader& chooser) noexcept {
    require_unused();
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
    require_task(context);
    task = context->task;
    cancelled_ = task->cancelled();
    return cancelled_;
  }

  enum class BeginResult : std::uint8_t { cancelled, budget_exhausted, ready };
  // Combines begin() and, if it returns false, budget_exhausted().
  [[nodiscard]] BeginResult begin_turn() noexcept {
    Context* context = current();
    require_task(context);
    task = context->task;
    cancelled_ = task->cancelled();
    if (cancelled_) return BeginResult::cancelled;
    return context->budget.consume() ? BeginResult::ready : BeginResult::budget_exhausted;
  }

  // Consumes one operation of the task's budget. Returns true if the budget was empty: the task must let other tasks
  // run.
  [[nodiscard]] static bool budget_exhausted() noexcept { return !current()->budget.consume(); }

  // Suspends the task at `point`; a wake through this wait resumes it.
  void suspend_at(coro::AwaitPoint point, WaitsFor what) noexcept {
    require_unused();
    task->resume_point = point;
    task->wait = this;
    task->waits_for.store(what, base::relaxed);  // relaxed: a report
  }

  // Suspends the task at `point` only to let other tasks run.
  void yield_at(coro::AwaitPoint point) noexcept {
    task->resume_point = point;
    task->yielded = true;
  }

  // Makes the worker run other tasks first and then call recheck(). Must be called after suspend_at().
  void yield_and_recheck() noexcept {
    task->yielded = true;
    task->rechecks_wait = true;
  }

  // Notes a cancellation that was requested since begin(). For awaits that cancel() cannot end.
  void recheck_cancelled() noexcept {
    if (!cancelled_) cancelled_ = task->cancelled();
  }

  // Records the cancellation. Called in cancel(), after the wait was claimed for the cancellation.
  void set_cancelled() noexcept { cancelled_ = true; }

  void throw_if_cancelled() const {
    if (cancelled_) throw Cancelled{};
  }

 private:
  static void require_task(const Context* context) noexcept {
    VOLT_REQUIRE(context != nullptr && context->task != nullptr,
                 "an operation of the runtime was awaited outside a task: await it in a coroutine that spawn() or "
                 "block_on() of a Runtime runs");
  }

  void require_unused() const noexcept {
    VOLT_REQUIRE(!branch_,
                 "an operation was used again after a select() of it: call the function that makes it again, such as "
                 "receive(), for each await");
  }

  bool cancelled_ = false;
  bool branch_ = false;
};

}  // namespace volt::sched
