// What every awaiter of the framework does around its own business: cancellation, budget, and taking its place as the
// task's wait.
//
//   await_ready:    if (begin()) return true;             // cancelled: await_resume will throw
//                   if (budget_exhausted()) return false;     // then await_suspend yields if it need not wait
//   await_suspend:  suspend_at(frame, WaitsFor::timer); publish; ...
//   await_resume:   throw_if_cancelled();
//
// One that is a branch of a select() (runtime/sched/select_wait.h) is not awaited: join_select(), start_branch(), and then leave()
// or await_resume().
//
// Threads: the task's own, but for claim().
#pragma once

#include <coroutine>

#include "runtime/sched/cancel.h"
#include "runtime/sched/current.h"
#include "runtime/sched/task_header.h"

namespace volt::sched {

class SelectWait;

class Suspension : public Wait {
 public:
  // Becomes a branch of the choice that `chooser` waits with.
  void join_select(TaskHeader& chooser) noexcept {
    task = &chooser;
    branch_ = true;
  }
  [[nodiscard]] bool is_branch() const noexcept { return branch_; }

  // Called by whoever is about to give this waiter what it waits for, or wake it, and has found it where nobody takes it
  // away meanwhile: under the lock of its queue. False: its choice was served by another branch. Defined in runtime/sched/select_wait.h.
  [[nodiscard]] bool claim() noexcept;

 protected:
  ~Suspension() = default;

  // Starts the await. True if the task is cancelled: it must not suspend.
  [[nodiscard]] bool begin() noexcept {
    const Context* context = current();
    VOLT_CHECK(context != nullptr && context->task != nullptr);  // awaits of the runtime need a task of the runtime
    task = context->task;
    cancelled_ = task->cancelled();
    return cancelled_;
  }

  enum class BeginResult : std::uint8_t { cancelled, budget_exhausted, ready };
  // begin(), and if that is false budget_exhausted().
  [[nodiscard]] BeginResult begin_turn() noexcept {
    Context* context = current();
    VOLT_CHECK(context != nullptr && context->task != nullptr);
    task = context->task;
    cancelled_ = task->cancelled();
    if (cancelled_) return BeginResult::cancelled;
    return context->budget.consume() ? BeginResult::ready : BeginResult::budget_exhausted;
  }

  // Consumes one operation of the task's budget; true if there was none left and the task must let others run.
  [[nodiscard]] static bool budget_exhausted() noexcept { return !current()->budget.consume(); }

  // The task suspends here, and is woken through this wait.
  void suspend_at(std::coroutine_handle<> frame, WaitsFor what) noexcept {
    task->resume_point = frame;
    task->wait = this;
    task->waits_for.store(what, base::relaxed);  // relaxed: a report
  }

  // The task suspends here only to let others run.
  void yield_at(std::coroutine_handle<> frame) noexcept {
    task->resume_point = frame;
    task->yielded = true;
  }

  // After suspend_at(): others run first, then recheck() is asked.
  void yield_and_recheck() noexcept {
    task->yielded = true;
    task->rechecks_wait = true;
  }

  // For cancel(): the wait was claimed for the cancel.
  void set_cancelled() noexcept { cancelled_ = true; }

  void throw_if_cancelled() const {
    if (cancelled_) throw Cancelled{};
  }

 private:
  bool cancelled_ = false;
  bool branch_ = false;
};

}  // namespace volt::sched
