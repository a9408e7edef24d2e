// SPDX-License-Identifier: MIT

#include "runtime/sched/task_header.h"

namespace volt::sched {

void wake(TaskHeader& task) noexcept {
  if (task.state.wake() == TaskState::Wake::enqueue) enqueue(task);
}

void deliver_cancel(TaskHeader& task) noexcept {
  const bool runnable = task.shield_depth == 0 && task.wait->cancel();
  if (runnable || task.state.release_claim() == TaskState::Wake::enqueue) enqueue(task);
}

void cancel(TaskHeader& task) noexcept {
  if (task.state.request_cancel() != TaskState::Cancel::deliver) return;
  if (task.state.try_claim()) deliver_cancel(task);  // else queued or running: the worker that runs it sees the cancel
}

}  // namespace volt::sched
