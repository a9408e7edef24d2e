// What every awaiter of the framework does around its own business: cancellation, budget, and taking its place as the
// task's wait.
//
//   await_ready:    if (begin()) return true;             // cancelled: await_resume will throw
//                   if (out_of_turns()) return false;     // then await_suspend yields if it need not wait
//   await_suspend:  suspend_at(frame, WaitsFor::timer); publish; ...
//   await_resume:   finish();                             // throws Cancelled
//
// Threads: the task's own.
#pragma once

#include <coroutine>

#include "runtime/cancel.h"
#include "runtime/sched/current.h"
#include "runtime/sched/task_header.h"

namespace volt::sched {

class Suspension : public Wait {
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

  // Consumes one operation of the task's budget; true if there was none left and the task must let others run.
  [[nodiscard]] static bool out_of_turns() noexcept { return !current()->budget.consume(); }

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

  // For cancel(): the wait was claimed for the cancel.
  void set_cancelled() noexcept { cancelled_ = true; }

  void throw_if_cancelled() const {
    if (cancelled_) throw Cancelled{};
  }

 private:
  bool cancelled_ = false;
};

}  // namespace volt::sched
