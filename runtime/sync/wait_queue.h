// Operation: how a task waits in the queue of a lock, a channel or the like. It lives in the awaiting frame, so waiting
// allocates nothing.
//
// The protocol, common to all of them. A primitive is its state and its queues under one spin lock.
//   - An operation looks at the state under the lock; if it has to wait, it queues itself before it lets go of it.
//   - Whoever changes the state takes waiters out under the lock (take_first), notes in them what they were given, and
//     wakes them when it has let go. A waiter that was taken out is woken, by nobody else, whatever else happens to its
//     task.
//   - A cancel takes the lock: a waiter that is still queued leaves and throws Cancelled. One that was taken out before
//     is woken with what it was given; where that must not be lost its await_resume looks whether the task is cancelled
//     and then gives it to the next (a channel's value, a lock).
//   - A branch of a select() is given something only if it could claim the choice; else it is skipped, as if it were not
//     there, and its select() takes it out of the queue when the winner is known.
//
// Each operation consumes one of the task's budget (runtime/sched/budget.h), also if it need not wait. One that is over
// budget lets the others run before it looks at the state: nobody is sent to the back of the queue with a lock in hand.
//
// Threads: any. Lifetime: a primitive outlives its waiters; its queues abort if it does not.
#pragma once

#include <coroutine>
#include <mutex>

#include "runtime/base/intrusive_list.h"
#include "runtime/base/spin_lock.h"
#include "runtime/sched/select_wait.h"

namespace volt::sync {

// Those who were taken out of queues under the lock, to be woken outside.
using Woken = base::Chain<io::Completion>;

inline void wake_all(Woken& woken) noexcept {
  while (io::Completion* waiter = woken.pop_front()) sched::wake(*waiter->task);
}

// The first in the queue that can be given something, taken out of it; null if there is none.
template <class AnyOperation>
[[nodiscard]] AnyOperation* take_first(base::List<AnyOperation>& queue) noexcept {
  while (AnyOperation* operation = queue.pop_front()) {
    if (operation->claim()) return operation;
  }
  return nullptr;
}

// Self is an operation of a primitive and derives from this. Under the lock are called
//   bool ready_locked()             whether it need not wait
//   void take_locked(Woken&)        if so: changes the state, and takes out whom that serves
//   void queue_locked()             if not: queues
//   void left_locked()              it has left the queue unserved; by default nothing
// and after its release
//   void taken(), void left()       the rest of take_locked() and left_locked(); by default nothing
//   bool try_first()                true if it is done without waiting. For what seldom waits take(), which saves the stores
//                                   of a suspension; for the rest nothing, since whoever waits locks twice then
template <class Self>
class Operation : public sched::Suspension, public base::ListNode {
 public:
  [[nodiscard]] bool await_ready() noexcept {
    const BeginResult begun = begin_turn();
    budget_exhausted_ = begun == BeginResult::budget_exhausted;
    return begun == BeginResult::cancelled || (begun == BeginResult::ready && self().try_first());
  }

  [[nodiscard]] bool await_suspend(std::coroutine_handle<> frame) noexcept {
    suspend_at(frame, what_);
    if (!budget_exhausted_) return !take_or_queue();
    yield_and_recheck();
    return true;
  }

  [[nodiscard]] bool recheck() noexcept override {
    if (!task->cancelled()) return take_or_queue();
    set_cancelled();
    return true;
  }

  [[nodiscard]] bool cancel() noexcept override {
    if (!leave()) return false;
    set_cancelled();
    return true;
  }

  // As a branch of a select(), which calls await_resume() of the winner and leave() of all others.
  // True if it was served at once; then nobody else wakes the task.
  [[nodiscard]] bool start_branch() noexcept { return take_or_queue(); }
  // True if it was still in the queue.
  bool leave() noexcept {
    {
      const std::scoped_lock lock(lock_);
      if (!linked()) return false;
      unlink();
      self().left_locked();
    }
    self().left();
    return true;
  }

  void left_locked() noexcept {}
  void left() noexcept {}
  void taken() noexcept {}
  [[nodiscard]] bool try_first() noexcept { return false; }

 protected:
  Operation(base::SpinLock& lock, WaitsFor what) noexcept : lock_(lock), what_(what) {}
  ~Operation() = default;

  [[nodiscard]] bool take() noexcept {
    Woken woken;
    {
      const std::scoped_lock lock(lock_);
      if (!self().ready_locked()) return false;
      self().take_locked(woken);
    }
    wake_all(woken);
    self().taken();
    return true;
  }

  // In await_resume: whether what the waiter was given must go to another.
  [[nodiscard]] bool cancelled_meanwhile() const noexcept { return task->cancelled(); }

 private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }

  // False: it is queued. (Then it may be over when the lock is released; but its frame stays until its runner is done.)
  [[nodiscard]] bool take_or_queue() noexcept {
    Woken woken;
    bool taken = false;
    {
      const std::scoped_lock lock(lock_);
      if (self().ready_locked()) {
        taken = claim();
        if (taken) self().take_locked(woken);
      } else {
        self().queue_locked();
      }
    }
    wake_all(woken);
    if (taken) self().taken();
    return taken;
  }

  base::SpinLock& lock_;
  const WaitsFor what_;
  bool budget_exhausted_ = false;
};

}  // namespace volt::sync
