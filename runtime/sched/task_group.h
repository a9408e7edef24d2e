// SPDX-License-Identifier: MIT

// TaskGroup: the children of one task, which waits for them. Scope, all() and race() are built on it.
//
// Threads: add(), wait and the destructor belong to the parent; task_done() is called by the worker that finished a
// child.
// Lifetime: in the parent's frame. Destroying a group while a child is running is a bug of the parent, and aborts the
// process.
#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

#include "runtime/base/spin_lock.h"
#include "runtime/sched/suspension.h"
#include "runtime/sched/task_list.h"

namespace volt::sched {

class TaskGroup final : public DoneHook {
 public:
  // The event that ends a wait. A wait also ends when all children are done, whatever the value.
  enum class Until : std::uint8_t { all_done, one_failed, one_done };

  TaskGroup() = default;
  ~TaskGroup() { VOLT_CHECK(running_ == 0); }

  // Starts a new child. Takes over the creator's reference to the child.
  void start(TaskHeader& child) {
    {
      const std::scoped_lock lock(lock_);
      ++running_;
    }
    child.on_done = this;
    child.id = current()->task->id;
    VOLT_CHECK(child.state.start_join() == TaskState::Join::waiting);
    children_.add(child);
    start_unlisted(child);
  }

  // Cancels every child.
  void cancel_all() { children_.cancel_all(); }

  class Waiting final : public Suspension {
   public:
    Waiting(TaskGroup& group, Until until) noexcept : group_(group), until_(until) {}

    [[nodiscard]] bool await_ready() noexcept {
      if (begin()) group_.cancel_all();  // and still waits: the group never leaves a child running
      return false;
    }

    [[nodiscard]] bool await_suspend(coro::AwaitPoint point) noexcept {
      suspend_at(point, WaitsFor::children);
      const std::scoped_lock lock(group_.lock_);
      if (group_.over_locked(until_)) return false;
      group_.waiting_ = this;
      return true;
    }

    void await_resume() const noexcept {}

    bool cancel() noexcept override {
      group_.cancel_all();
      return false;  // the end of the children wakes the parent
    }

   private:
    friend class TaskGroup;
    TaskGroup& group_;
    const Until until_;
  };

  // Returns an awaiter that never throws Cancelled: if the parent is cancelled, the wait cancels the children and
  // continues until they have ended.
  [[nodiscard]] Waiting wait(Until until) noexcept { return Waiting(*this, until); }

  // These functions return the first child that was done, and the first that failed; null if there is none. They must
  // be called after a wait. The result is valid as long as the parent holds a reference to that child.
  [[nodiscard]] TaskHeader* first_done() const noexcept { return first_done_; }
  [[nodiscard]] TaskHeader* first_failed() const noexcept { return first_failed_; }

  void task_done(TaskHeader& child) noexcept override {
    Waiting* waiting = nullptr;
    {
      const std::scoped_lock lock(lock_);
      --running_;
      if (first_done_ == nullptr) first_done_ = &child;
      if (child.failed() && first_failed_ == nullptr) first_failed_ = &child;
      if (waiting_ != nullptr && over_locked(waiting_->until_)) waiting = std::exchange(waiting_, nullptr);
    }
    // If the parent waited, it still exists, because only this call wakes it. If the parent did not wait, it may be
    // destroyed by now, and the group with it. So this function must not touch the group here.
    if (waiting != nullptr) wake(*waiting->task);
  }

 private:
  static void wake(TaskHeader& task) noexcept { sched::wake(task); }

  [[nodiscard]] bool over_locked(Until until) const noexcept {
    if (running_ == 0) return true;
    if (until == Until::one_failed) return first_failed_ != nullptr;
    return until == Until::one_done && first_done_ != nullptr;
  }

  base::SpinLock lock_;
  std::uint32_t running_ = 0;
  TaskHeader* first_done_ = nullptr;
  TaskHeader* first_failed_ = nullptr;
  Waiting* waiting_ = nullptr;
  TaskList children_;
};

}  // namespace volt::sched
