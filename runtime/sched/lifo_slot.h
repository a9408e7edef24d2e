// SPDX-License-Identifier: MIT

// LifoSlot: the place for the one task that a worker runs next. Only its worker puts tasks in, so a worker that is
// about to park knows that its slot stays empty.
//
// Threads: empty() and take() may be called on any thread; put() and try_put() belong to the worker.
//
// Edges
//   W1  a task is published in the slot  ->  the thread that takes it out
#pragma once

#include "runtime/base/atomic.h"

namespace volt::sched {

template <class Task>
class LifoSlot {
 public:
  // Exact on the worker's thread if it returns true; a hint otherwise.
  [[nodiscard]] bool empty() const noexcept {
    return task_.load(base::relaxed) == nullptr;  // relaxed: only the worker fills the slot
  }

  // Puts the task into the slot. Returns false, and does nothing, if the slot is not empty.
  [[nodiscard]] bool try_put(Task& task) noexcept {
    if (!empty()) return false;
    task_.store(&task, base::release);  // W1
    return true;
  }
  // Puts the task into the slot. Returns the task that was in the slot; null if there was none.
  [[nodiscard]] Task* put(Task& task) noexcept {
    return try_put(task) ? nullptr : task_.exchange(&task, base::release);  // W1; the previous task is the caller's own
  }

  // Takes the task out. Returns null if the slot is empty.
  [[nodiscard]] Task* take() noexcept { return task_.exchange(nullptr, base::acquire); }  // W1

 private:
  base::Atomic<Task*> task_{nullptr};
};

}  // namespace volt::sched
