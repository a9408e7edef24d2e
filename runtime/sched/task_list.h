// SPDX-License-Identifier: MIT

// TaskList: the live tasks that one worker spawned, or that it adopted. A stopping runtime reaches all tasks through
// these lists, and reports list them. There is one list per worker, so that the lock is nearly always free.
//
// A task that a thread outside spawns is in no list while it waits in the global queue. The worker that takes it out
// adopts it (Worker::adopt). If the spawning thread listed it, that thread and the workers that run its tasks would
// contend for one lock and, worse, for the links of neighbors in the list.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>

#include "runtime/base/intrusive_list.h"
#include "runtime/base/spin_lock.h"
#include "runtime/sched/task_header.h"

namespace volt::sched {

// The distance between the first task ids of two lists. It exceeds the number of tasks that are ever added to one list,
// so the ids of two lists never overlap.
inline constexpr TaskId kTaskIdStride = TaskId{1} << 40;

class TaskList {
 public:
  // The list numbers its tasks from `ids_after` + 1 on. If `ids_after` is 0, it assigns no ids: the tasks have ids
  // already.
  explicit TaskList(TaskId ids_after = 0) noexcept : ids_after_(ids_after) {}

  // Adds a new task, and counts it.
  void add(TaskHeader& task) noexcept {
    const std::scoped_lock lock(lock_);
    add_locked(task);
    ++added_;
    if (ids_after_ != 0) task.id = ids_after_ + added_;
  }

  // Adds those of the tasks that await it. They were spawned outside, where they were counted and got their ids.
  void adopt(std::span<TaskHeader* const> tasks) noexcept {
    const std::scoped_lock lock(lock_);
    for (TaskHeader* task : tasks) {
      if (!task->awaits_adoption) continue;
      task->awaits_adoption = false;
      add_locked(*task);
    }
  }

  // Removes the task from its list, if it is in one.
  static void remove(TaskHeader& task) noexcept {
    if (task.list == nullptr) return;
    TaskList& list = *task.list;
    const std::scoped_lock lock(list.lock_);
    task.unlink();
    --list.size_;
    ++list.removed_;
  }

  [[nodiscard]] std::size_t size() const noexcept {
    const std::scoped_lock lock(lock_);
    return size_;
  }
  // These functions return the number of tasks that were ever added, without those adopted, and ever removed.
  [[nodiscard]] std::size_t added() const noexcept {
    const std::scoped_lock lock(lock_);
    return added_;
  }
  [[nodiscard]] std::size_t removed() const noexcept {
    const std::scoped_lock lock(lock_);
    return removed_;
  }

  // Calls `visit(const TaskHeader&)` on the oldest `count_max` tasks. Threads that spawn or end a task of this list
  // wait until visit_oldest() returns.
  template <class Visit>
  void visit_oldest(std::size_t count_max, Visit&& visit) const {
    const std::scoped_lock lock(lock_);
    tasks_.for_each_while([&](const TaskHeader& task) {
      if (count_max-- == 0) return false;
      visit(task);
      return true;
    });
  }

  // Cancels every task that is in the list now. Must not allocate: a task that ends because memory is short cancels its
  // children with this function.
  void cancel_all() noexcept {
    // Each task moves to the end of the list as it is cancelled. New tasks are added after the existing ones, so no
    // existing task is left out. If some tasks end during the loop, others are cancelled twice, which changes nothing.
    for (std::size_t left = size(); left != 0; --left) {
      TaskHeader* const task = take_turn();
      if (task == nullptr) return;
      cancel(*task);  // without the lock: the task may finish, and leave the list, at once
      task->release();
    }
  }

 private:
  friend struct DebuggerLayout;

  void add_locked(TaskHeader& task) noexcept {
    task.list = this;
    tasks_.push_back(task);
    ++size_;
  }

  // Moves the first task to the end of the list and returns it with a new reference; null if the list is empty.
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
  std::size_t size_ = 0;
  std::size_t added_ = 0;
  std::size_t removed_ = 0;
};

}  // namespace volt::sched
