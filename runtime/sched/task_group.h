// SPDX-License-Identifier: MIT

// TaskGroup: the children of one task, which waits for them. Scope and race() are built on it; all() has a ChildGroup
// (runtime/sched/child_group.h).
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
#include "runtime/sched/children_wait.h"
#include "runtime/sched/task_list.h"

namespace volt::sched {

class TaskGroup final : public DoneHook {
 public:
  // The event that ends a wait. A wait also ends when all children are done, whatever the value.
  enum class Until : std::uint8_t { all_done, one_done };

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

  // Returns an awaiter that never throws Cancelled. One wait of the group may be awaited at a time.
  [[nodiscard]] ChildrenWait<TaskGroup> wait(Until until) noexcept {
    until_ = until;
    return ChildrenWait<TaskGroup>(*this);
  }

  // Returns the first child that was done; null if there is none. Must be called after a wait. The result is valid as
  // long as the parent holds a reference to that child.
  [[nodiscard]] TaskHeader* first_done() const noexcept { return first_done_; }

  void task_done(TaskHeader& child) noexcept override {
    Suspension* waiting = nullptr;
    {
      const std::scoped_lock lock(lock_);
      --running_;
      if (first_done_ == nullptr) first_done_ = &child;
      if (waiting_ != nullptr && over_locked()) waiting = std::exchange(waiting_, nullptr);
    }
    // If the parent waited, it still exists, because only this call wakes it. If the parent did not wait, it may be
    // destroyed by now, and the group with it. So this function must not touch the group here.
    if (waiting != nullptr) wake(*waiting->task);
  }

 private:
  friend class ChildrenWait<TaskGroup>;
  static void wake(TaskHeader& task) noexcept { sched::wake(task); }

  // Returns whether the task must wait.
  [[nodiscard]] bool start_wait(Suspension& wait) noexcept {
    const std::scoped_lock lock(lock_);
    if (over_locked()) return false;
    waiting_ = &wait;
    return true;
  }

  [[nodiscard]] bool over_locked() const noexcept {
    return running_ == 0 || (until_ == Until::one_done && first_done_ != nullptr);
  }

  base::SpinLock lock_;
  std::uint32_t running_ = 0;
  TaskHeader* first_done_ = nullptr;
  Suspension* waiting_ = nullptr;
  Until until_ = Until::all_done;  // of the wait; changed only while the parent does not wait
  TaskList children_;
};

}  // namespace volt::sched
