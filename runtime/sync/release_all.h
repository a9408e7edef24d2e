// SPDX-License-Identifier: MIT

// release_all: wakes all tasks that wait in a queue.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <mutex>

#include "runtime/sync/wait_queue.h"

namespace volt::sync {

// The maximum number of waiters that are taken out of the queue per acquisition of the lock. A queue may contain
// thousands of waiters, but a spin lock must be held only for a short time.
inline constexpr std::size_t kReleasedAtOnce = 32;

// Calls `change` under the lock, and wakes all tasks that were in `queue` at that time. For each of these tasks, calls
// `serve` under the lock, which stores the result of the task's wait. The lock is released between batches. A task that
// queues after the change is not woken.
template <class AnyOperation, class Change, class Serve>
void release_all(base::SpinLock& lock, base::List<AnyOperation>& queue, Change&& change, Serve&& serve) noexcept {
  base::List<AnyOperation> leaving;  // still linked, so that a cancelled task can unlink its operation
  for (bool first = true, more = true; more; first = false) {
    Woken woken;
    {
      const std::scoped_lock guard(lock);
      if (first) change();
      if (first) leaving.splice_back(queue);
      while (woken.size() != kReleasedAtOnce) {
        AnyOperation* operation = take_first(leaving);
        if (operation == nullptr) break;
        serve(*operation);
        woken.push_back(operation);
      }
      more = !leaving.empty();
    }
    wake_all(woken);
  }
}
template <class AnyOperation, class Change>
void release_all(base::SpinLock& lock, base::List<AnyOperation>& queue, Change&& change) noexcept {
  release_all(lock, queue, change, [](AnyOperation&) {});
}

}  // namespace volt::sync
