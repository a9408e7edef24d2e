// release_all: the end of a wait for all who queue.
// Threads: any.
#pragma once

#include <cstddef>
#include <mutex>

#include "runtime/sync/wait_queue.h"

namespace volt::sync {

// How many are taken out in one go: a lock is held for a few dozen instructions, and there may be thousands.
inline constexpr std::size_t kReleasedAtOnce = 32;

// Makes a change under the lock and wakes all who waited in `queue` for it; `serve` gives each what it waited for, under
// the lock, which is released now and then. Nobody who queues after the change is woken for it.
template <class AnyOperation, class Change, class Serve>
void release_all(base::SpinLock& lock, base::List<AnyOperation>& queue, Change&& change, Serve&& serve) noexcept {
  base::List<AnyOperation> leaving;  // still linked: a cancel takes them out of here
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
