// SPDX-License-Identifier: MIT

#include "runtime/mutex.h"

#include <mutex>
#include <utility>

namespace volt {

bool Mutex::recheck(Locking& locking) noexcept {
  Locking* next = nullptr;
  {
    const std::scoped_lock lock(lock_);
    if (locking.handed_) return true;
    const bool was_summoned = std::exchange(locking.notified_, false);
    if (was_summoned) notified_ = false;
    if (!locking.task->cancelled()) {
      if (!std::exchange(held_, true)) return true;
      locking.overtaken_ = was_summoned;
      locking.task->rechecks_wait = true;
      was_summoned ? waiting_.push_front(locking) : waiting_.push_back(locking);
      return false;
    }
    locking.set_cancelled();
    if (was_summoned && !held_) next = pass_on_locked();
  }
  if (next != nullptr) sched::wake(*next->task);
  return true;
}

}  // namespace volt
