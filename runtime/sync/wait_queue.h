// SPDX-License-Identifier: MIT

// Operation: the wait of a task in the queue of a lock, a channel or another primitive. It lives in the awaiting frame,
// so waiting allocates nothing.
//
// The protocol, common to all primitives. A primitive is its state and its queues under one spin lock.
//   - An operation examines the state under the lock; if it has to wait, it queues itself before it releases the lock.
//     It may hold the lock from await_ready() to await_suspend(): so an operation that need not wait does not prepare a
//     suspension, and one that must wait does not acquire the lock twice.
//   - A thread that changes the state takes waiters out under the lock (take_first), stores in each waiter the result
//     of that waiter, and wakes them after it has released the lock. Only this thread wakes a waiter that it took
//     out. It always does so, even if the waiter's task is cancelled at the same time.
//   - A cancel takes the lock: a waiter that is still queued leaves the queue and throws Cancelled. A waiter that was
//     taken out before is woken with its result. If the result must not be lost (a lock, a grant of a channel), the
//     waiter's await_resume() checks whether the task was cancelled, and passes the result to the next waiter if so.
//   - A branch of a select() is served only if the serving thread can claim the select. If the claim fails, another
//     branch has won, and the serving thread only removes this branch from the queue. Branches that are still queued
//     when the winner is known are removed by their select().
//
// Each operation consumes one unit of the task's budget (runtime/sched/budget.h), even if it need not wait. A task that
// has used up its budget lets other tasks run before its operation examines the state. So no task goes to the end of
// the run queue while it holds, for example, a Mutex that it has just acquired.
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

// Waiters that a thread has taken out of queues under the lock, and wakes after it has released the lock.
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

// The small members of Operation. They are in a base class of their own because compilers put them into the space that
// Suspension leaves before the next pointer; a wait is shorter by one or two words that way.
class QueuedWait : public sched::Suspension {
 protected:
  explicit QueuedWait(WaitsFor what) noexcept : what_(what) {}
  ~QueuedWait() = default;

  const WaitsFor what_;
  bool budget_exhausted_ = false;
  bool picked_ = false;  // for Self
};

// Self is an operation of a primitive and derives from this class. Self provides these functions, which are called
// under the lock:
//   bool ready_locked()             returns whether the operation need not wait
//   void take_locked(Woken&)        called if it need not wait: changes the state, takes out the waiters that it serves
//   void queue_locked()             called if it must wait: adds it to the queue
//   void left_locked()              called when it has left the queue unserved; does nothing by default
// and these, which are called after the lock's release:
//   void taken(), void left()       the remaining work of take_locked() and left_locked(); do nothing by default
template <class Self>
class Operation : public QueuedWait, public base::ListNode {
 public:
  [[nodiscard]] bool await_ready() noexcept {
    const BeginResult begun = begin_turn();
    budget_exhausted_ = begun == BeginResult::budget_exhausted;
    return begun == BeginResult::cancelled || (begun == BeginResult::ready && take_or_lock());
  }

  void await_suspend(coro::AwaitPoint point) noexcept {
    suspend_at(point, what_);
    if (budget_exhausted_) return yield_and_recheck();
    self().queue_locked();
    lock_.unlock();
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

  // Tries the operation before it becomes a branch of a select(). Returns true if the await is over: the operation was
  // served, or the task is cancelled.
  [[nodiscard]] bool try_first() noexcept {
    const BeginResult begun = begin_turn();
    if (begun != BeginResult::ready) return begun == BeginResult::cancelled;
    const bool taken = take_or_lock();
    if (!taken) lock_.unlock();
    return taken;
  }

  // Starts the operation as a branch of a select(). The select() calls await_resume() of the winner and leave() of all
  // others. Returns true if the operation was served at once: the select() is decided, and no thread wakes the task.
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

 protected:
  Operation(base::SpinLock& lock, WaitsFor what) noexcept : QueuedWait(what), lock_(lock) {}
  ~Operation() = default;

  // Returns whether the task was cancelled after its waiter had been served. await_resume() must then pass the result
  // to another waiter.
  [[nodiscard]] bool cancelled_meanwhile() const noexcept { return task->cancelled(); }

 private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }

  // Returns true if the operation was served. On false the lock is held.
  [[nodiscard]] bool take_or_lock() noexcept {
    Woken woken;
    lock_.lock();
    if (!self().ready_locked()) return false;
    self().take_locked(woken);
    lock_.unlock();
    wake_all(woken);
    self().taken();
    return true;
  }

  // Returns true if the operation was served. On false the operation is queued, or it is a branch of a select() that
  // another branch has won. Once the lock is released, another thread may serve a queued operation, but it cannot
  // resume the frame before this worker has suspended the task.
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
};

}  // namespace volt::sync
