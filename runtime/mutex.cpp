// SPDX-License-Identifier: MIT

#include "runtime/mutex.h"

#include <mutex>
#include <utility>

namespace volt {

void Mutex::pass_on() noexcept {
  Locking* const next = pass_on_locked();
  lock_.unlock();
  if (next != nullptr) sched::wake(*next->task);
}

// A branch of a select() cannot wait again after a wake-up, so the lock is handed to it.
Mutex::Locking* Mutex::pass_on_locked() noexcept {
  while (Locking* first = waiting_.front()) {
    const bool hand_over = first->overtaken_ || first->is_branch();
    if (!hand_over && notified_) return nullptr;
    first->unlink();
    if (!first->claim()) continue;
    (hand_over ? held_ : notified_) = true;
    (hand_over ? first->handed_ : first->notified_) = true;
    return first;
  }
  return nullptr;
}

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
