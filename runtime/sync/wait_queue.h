// SPDX-License-Identifier: MIT

// Operation: the wait of a task in the queue of a lock, a channel or another primitive. It lives in the awaiting frame,
// so waiting allocates nothing.
//
// The protocol, common to all primitives. A primitive is its state and its queues under one spin lock.
//   - An operation examines the state under the lock; if it has to wait, it queues itself before it releases the lock.
//   - A thread that changes the state takes waiters out under the lock (take_first), stores in each waiter the result
//     that it receives, and wakes them after it has released the lock. Only this thread wakes a waiter that was taken
//     out, and it does so whatever else happens to the waiter's task.
//   - A cancel takes the lock: a waiter that is still queued leaves the queue and throws Cancelled. A waiter that was
//     taken out before is woken with its result. Where the result must not be lost (a channel's value, a lock), its
//     await_resume checks whether the task is cancelled, and then passes the result to the next waiter.
//   - A branch of a select() is served only if it could claim the select. Otherwise it is skipped, as if it were not in
//     the queue, and its select() takes it out of the queue when the winner is known.
//
// Each operation consumes one unit of the task's budget (runtime/sched/budget.h), even if it need not wait. A task that
// is over budget lets other tasks run before its operation examines the state, so that no task is sent to the back of
// the run queue with a lock in hand.
//
// Threads: any.
// Lifetime: a primitive outlives its waiters; otherwise its queues abort the process.
#pragma once

#include <coroutine>
#include <mutex>

#include "runtime/base/intrusive_list.h"
#include "runtime/base/spin_lock.h"
#include "runtime/sched/select_wait.h"

namespace volt::sync {

// Waiters that were taken out of queues under the lock and are woken after its release.
using Woken = base::Chain<io::Completion>;

inline void wake_all(Woken& woken) noexcept {
  while (io::Completion* waiter = woken.pop_front()) sched::wake(*waiter->task);
}

// Removes and returns the first operation in the queue that can be served; null if there is none.
template <class AnyOperation>
[[nodiscard]] AnyOperation* take_first(base::List<AnyOperation>& queue) noexcept {
  while (AnyOperation* operation = queue.pop_front()) {
    if (operation->claim()) return operation;
  }
  return nullptr;
}

// Self is an operation of a primitive and derives from this class. Self provides these functions, which are called
// under the lock:
//   bool ready_locked()             returns whether the operation need not wait
//   void take_locked(Woken&)        called if it need not wait: changes the state, takes out the waiters that it serves
//   void queue_locked()             called if it must wait: adds it to the queue
//   void left_locked()              called when it has left the queue unserved; does nothing by default
// and these, which are called after the lock's release:
//   void taken(), void left()       the remaining work of take_locked() and left_locked(); do nothing by default
//   bool try_first()                returns true if the operation is done without waiting. Operations that rarely wait
//                                   call take() here, which saves the stores of a suspension. By default it returns
//                                   false, because an operation that waits would take the lock twice
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

  // Starts the operation as a branch of a select(). The select() calls await_resume() of the winner and leave() of all
  // others. Returns true if the operation was served at once; then no other thread wakes the task.
  [[nodiscard]] bool start_branch() noexcept { return take_or_queue(); }
  // Takes the operation out of the queue. Returns true if it was still in the queue.
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

  // For await_resume: returns whether the task was cancelled, so that the waiter's result must be passed to another
  // waiter.
  [[nodiscard]] bool cancelled_meanwhile() const noexcept { return task->cancelled(); }

 private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }

  // Returns true if the operation was served. Otherwise it is queued, or its select() has been won by another branch. A
  // queued operation may complete as soon as the lock is released, but its frame stays until the worker has suspended
  // it.
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
