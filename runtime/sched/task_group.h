// TaskGroup: the children of one task, which waits for them. What Scope, all() and race() are made of.
//
// Threads: add(), wait and the destructor belong to the parent; task_done() comes from whichever worker finished a
// child. Lifetime: lives in the parent's frame. A group that dies with a child running is a bug of the parent, and
// aborts.
#pragma once

#include <cstdint>
#include <mutex>

#include "runtime/base/spin_lock.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/suspension.h"
#include "runtime/sched/task_list.h"

namespace volt::sched {

class TaskGroup final : public DoneHook {
 public:
  // What a wait waits for, besides the end of every child.
  enum class Until : std::uint8_t { all_done, one_failed, one_done };

  TaskGroup() = default;
  ~TaskGroup() { VOLT_CHECK(running_ == 0); }

  // Takes over a new child (its creator's reference, too, is dropped when it is done) and starts it.
  void start(TaskHeader& child) {
    {
      const std::scoped_lock lock(lock_);
      ++running_;
    }
    child.on_done = this;
    child.id = current()->task->id;
    VOLT_CHECK(child.state.start_join() == TaskState::Join::waiting);
    children_.add(child);
    current()->worker->scheduler().start_unlisted(child);
  }

  // Asks every child to unwind.
  void cancel_all() { children_.cancel_all(); }

  class Waiting final : public Suspension {
   public:
    Waiting(TaskGroup& group, Until until) noexcept : group_(group), until_(until) {}

    [[nodiscard]] bool await_ready() noexcept {
      if (begin()) group_.cancel_all();  // and wait on: no child is left behind
      return false;
    }

    [[nodiscard]] bool await_suspend(std::coroutine_handle<> frame) noexcept {
      suspend_at(frame, WaitsFor::children);
      const std::scoped_lock lock(group_.lock_);
      if (group_.over_locked(until_)) return false;
      group_.waiting_ = this;
      return true;
    }

    void await_resume() const noexcept {}

    bool cancel() noexcept override {
      group_.cancel_all();
      return false;  // the children's end will wake us
    }

   private:
    friend class TaskGroup;
    TaskGroup& group_;
    const Until until_;
  };

  // Never throws Cancelled: a cancelled parent cancels its children and waits for their end.
  [[nodiscard]] Waiting wait(Until until) noexcept { return Waiting(*this, until); }

  // The first child that was done, and the first that failed; null if none was. After a wait; valid as long as the
  // parent holds a reference to it.
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
    // A parent that waits is woken here and nowhere else, so it is still there; one that does not wait may be gone.
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
