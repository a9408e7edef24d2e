// Inbox: what other threads ask of one particular worker. Tasks that anybody may run do not come here, but to the
// global queue.
//
// Edges
//   B1  post's release of filled_  ->  drain's acquire : what was posted is seen. (A post wakes its worker through the
//       idle state, whose fence orders the store before the look at who is parked.)
//   B2  the same with has_movable_, for a rescuer
#pragma once

#include <mutex>
#include <utility>

#include "runtime/base/atomic.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/base/spin_lock.h"
#include "runtime/io/source.h"
#include "runtime/sched/task_header.h"

namespace volt::sched {

class Inbox {
 public:
  struct Content {
    base::Chain<TaskHeader> tasks;            // to be run here, or by a rescuer
    base::Chain<TaskHeader> pinned;           // to be run here
    base::Chain<io::UnwatchRequest> unwatch;  // polls to end here
  };

  void post(TaskHeader& task) noexcept {
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

  // Whether there is something for a rescuer.
  [[nodiscard]] bool has_movable() const noexcept { return has_movable_.load(base::acquire); }  // B2

  // Takes everything.
  [[nodiscard]] Content drain() noexcept {
    const std::scoped_lock lock(lock_);
    has_movable_.store(false, base::release);  // B2
    filled_.store(false, base::release);       // B1
    return std::exchange(content_, {});
  }

  // A rescuer takes only what any worker can do.
  [[nodiscard]] base::Chain<TaskHeader> take_tasks() noexcept {
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

}  // namespace volt::sched
