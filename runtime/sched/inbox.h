// SPDX-License-Identifier: MIT

// Inbox: requests of other threads to one particular worker. Tasks that any worker may run go to the global queue
// instead.
//
// Edges
//   B1  post's release of filled_  ->  drain's acquire : the posted entries are visible. (A post wakes its worker
//       through the idle state, whose fence orders the store before the check for parked workers.)
//   B2  post's release of has_movable_  ->  a rescuer's acquire : the posted tasks are visible
#pragma once

#include <mutex>
#include <utility>

#include "runtime/base/atomic.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/base/spin_lock.h"
#include "runtime/io/source.h"
#include "runtime/sched/task_header.h"

namespace volt::sched {

template <class Task>
class BasicInbox {
 public:
  struct Content {
    base::Chain<Task> tasks;                  // tasks to run on this worker, or on a rescuer
    base::Chain<Task> pinned;                 // tasks to run on this worker only
    base::Chain<io::UnwatchRequest> unwatch;  // polls that this worker must end
  };

  void post(Task& task) noexcept {
    const std::scoped_lock lock(lock_);
    (task.pinned ? content_.pinned : content_.tasks).push_back(&task);
    if (!task.pinned) has_movable_.store(true, base::release);  // B2
    filled_.store(true, base::release);                         // B1
  }

  void post(io::UnwatchRequest& request) noexcept {
    const std::scoped_lock lock(lock_);
    content_.unwatch.push_back(&request);
    filled_.store(true, base::release);  // B1
  }

  [[nodiscard]] bool empty() const noexcept { return !filled_.load(base::acquire); }  // B1

  // Returns whether there is a task that a rescuer may take.
  [[nodiscard]] bool has_movable() const noexcept { return has_movable_.load(base::acquire); }  // B2

  // Takes all entries.
  [[nodiscard]] Content drain() noexcept {
    const std::scoped_lock lock(lock_);
    has_movable_.store(false, base::release);  // B2
    filled_.store(false, base::release);       // B1
    return std::exchange(content_, {});
  }

  // Takes the tasks that any worker may run. Called by a rescuer.
  [[nodiscard]] base::Chain<Task> take_tasks() noexcept {
    const std::scoped_lock lock(lock_);
    has_movable_.store(false, base::release);  // B2
    return std::exchange(content_.tasks, {});
  }

 private:
  base::SpinLock lock_;
  Content content_;
  base::Atomic<bool> filled_{false};
  base::Atomic<bool> has_movable_{false};
};

using Inbox = BasicInbox<TaskHeader>;

}  // namespace volt::sched
