// The live tasks that one worker (or the threads outside) spawned: how a stopping runtime reaches them all, and how
// anybody can list them. Sharded by spawner, so that the lock is nearly always free.
#pragma once

#include <cstddef>
#include <mutex>

#include "runtime/base/intrusive_list.h"
#include "runtime/base/spin_lock.h"
#include "runtime/sched/task_header.h"

namespace volt::sched {

// Between the ids of one list and those of the next: more tasks than one ever has.
inline constexpr TaskId kTaskIdStride = TaskId{1} << 40;

class TaskList {
 public:
  // Tasks get their ids from `ids_after` on; 0: they have theirs.
  explicit TaskList(TaskId ids_after = 0) noexcept : ids_after_(ids_after) {}

  void add(TaskHeader& task) noexcept {
    task.list = this;
    const std::scoped_lock lock(lock_);
    tasks_.push_back(task);
    ++added_;
    if (ids_after_ != 0) task.id = ids_after_ + added_;
  }

  static void remove(TaskHeader& task) noexcept {
    TaskList& list = *task.list;
    const std::scoped_lock lock(list.lock_);
    task.unlink();
    ++list.removed_;
  }

  [[nodiscard]] std::size_t size() const noexcept {
    const std::scoped_lock lock(lock_);
    return added_ - removed_;
  }
  // Ever, so far.
  [[nodiscard]] std::size_t added() const noexcept {
    const std::scoped_lock lock(lock_);
    return added_;
  }
  [[nodiscard]] std::size_t removed() const noexcept {
    const std::scoped_lock lock(lock_);
    return removed_;
  }

  // Calls `visit(const TaskHeader&)` on the oldest `count_max` tasks. It holds up whoever spawns or ends one meanwhile.
  template <class Visit>
  void visit_oldest(std::size_t count_max, Visit&& visit) const {
    const std::scoped_lock lock(lock_);
    tasks_.for_each_while([&](const TaskHeader& task) {
      if (count_max-- == 0) return false;
      visit(task);
      return true;
    });
  }

  // Asks every task that is in the list now to unwind. Allocates nothing: a task that is cancelled for want of memory
  // cancels its children in its turn.
  void cancel_all() noexcept {
    // Each goes to the end as it is cancelled. New ones come behind those that were there, so nobody is left out;
    // where some end meanwhile, others are asked twice, which changes nothing.
    for (std::size_t left = size(); left != 0; --left) {
      TaskHeader* const task = take_turn();
      if (task == nullptr) return;
      cancel(*task);  // without the lock: it may finish, and leave the list, at once
      task->release();
    }
  }

 private:
  // The first becomes the last; with a reference.
  [[nodiscard]] TaskHeader* take_turn() noexcept {
    const std::scoped_lock lock(lock_);
    TaskHeader* const task = tasks_.pop_front();
    if (task == nullptr) return nullptr;
    tasks_.push_back(*task);
    task->state.add_reference();
    return task;
  }

  const TaskId ids_after_;
  mutable base::SpinLock lock_;
  base::List<TaskHeader> tasks_;
  std::size_t added_ = 0;
  std::size_t removed_ = 0;
};

}  // namespace volt::sched
