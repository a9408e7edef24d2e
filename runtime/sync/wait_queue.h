// Waiter: how a task waits in the queue of a lock, a channel or the like. It lives in the awaiting frame, so waiting
// allocates nothing.
//
// The protocol, common to all of them. A primitive is its state and its queues under one spin lock.
//   - An operation looks at the state under the lock; if it has to wait, it queues itself before it lets go of it.
//   - Whoever changes the state takes waiters out under the lock, notes in them what they were given, and wakes them
//     when it has let go. A waiter that was taken out is woken, by nobody else, whatever else happens to its task.
//   - A cancel takes the lock: a waiter that is still queued leaves and throws Cancelled. One that was taken out before
//     is woken with what it was given; where that must not be lost its await_resume looks whether the task is cancelled
//     and then gives it to the next (a channel's value, a lock).
//
// Each operation consumes one of the task's budget (runtime/sched/budget.h), also if it need not wait; one that is over
// budget is completed and then lets the others run.
//
// Threads: any. Lifetime: a primitive outlives its waiters; its queues abort if it does not.
#pragma once

#include <coroutine>
#include <mutex>

#include "runtime/base/intrusive_list.h"
#include "runtime/base/spin_lock.h"
#include "runtime/sched/suspension.h"

namespace volt::sync {

// Those who were taken out of queues under the lock, to be woken outside.
using Woken = base::Chain<io::Completion>;

inline void wake_all(Woken& woken) noexcept {
  while (io::Completion* waiter = woken.pop_front()) sched::wake(*waiter->task);
}

class Waiter : public sched::Suspension, public base::ListNode {
 public:
  [[nodiscard]] bool await_ready() noexcept { return begin(); }

  [[nodiscard]] bool cancel() noexcept override {
    {
      const std::scoped_lock lock(lock_);
      if (!linked()) return false;
      unlink();
    }
    set_cancelled();
    return true;
  }

 protected:
  Waiter(base::SpinLock& lock, WaitsFor what) noexcept : lock_(lock), what_(what) {}
  ~Waiter() = default;

  // What an await_suspend returns. Calls `attempt(Woken&)` under the lock; false from it: the operation has to wait, and
  // `self`, which is this waiter, queues. (Then it may be over, and its frame gone, when the lock is released.)
  template <class Self, class Attempt>
  [[nodiscard]] bool suspend_unless(std::coroutine_handle<> frame, base::List<Self>& queue, Self& self,
                                    Attempt&& attempt) noexcept {
    suspend_at(frame, what_);
    Woken woken;
    bool completed = false;
    {
      const std::scoped_lock lock(lock_);
      completed = attempt(woken);
      if (!completed) queue.push_back(self);
    }
    wake_all(woken);
    if (!completed) return true;
    if (!out_of_turns()) return false;
    yield_at(frame);
    return true;
  }

  // In await_resume: whether what the waiter was given must go to another.
  [[nodiscard]] bool cancelled_meanwhile() const noexcept { return task->cancelled(); }

 private:
  base::SpinLock& lock_;
  const WaitsFor what_;
};

// Makes a change under the lock and wakes all who waited in `queue` for it, thousands maybe: the lock is released now and
// then. Nobody who queues after the change is woken for it.
template <class AnyWaiter, class Change>
void release_all(base::SpinLock& lock, base::List<AnyWaiter>& queue, Change&& change) noexcept {
  constexpr std::size_t kAtOnce = 32;
  base::List<AnyWaiter> leaving;  // still linked: a cancel takes them out of here
  for (bool first = true, more = true; more; first = false) {
    Woken woken;
    {
      const std::scoped_lock guard(lock);
      if (first) change();
      if (first) leaving.splice_back(queue);
      while (woken.size() != kAtOnce && !leaving.empty()) woken.push_back(leaving.pop_front());
      more = !leaving.empty();
    }
    wake_all(woken);
  }
}

}  // namespace volt::sync
