// SPDX-License-Identifier: MIT

// release_all: ends the wait of all tasks in a queue.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <mutex>

#include "runtime/sync/wait_queue.h"

namespace volt::sync {

// Number of waiters taken out per acquisition of the lock: the lock is held for a few dozen instructions, and a queue
// may hold thousands of waiters.
inline constexpr std::size_t kReleasedAtOnce = 32;

// Makes a change under the lock and wakes all tasks that waited in `queue` for it. `serve` gives each of them the
// result of its wait, under the lock, which is released between batches. A task that queues after the change is not
// woken for it.
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
