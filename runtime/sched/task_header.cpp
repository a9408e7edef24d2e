// SPDX-License-Identifier: MIT

#include "runtime/sched/task_header.h"

namespace volt::sched {

void CancelScope::fail() noexcept {
  failed_.store(true, base::release);  // H1
  if (task_.state.request_scope_cancel() != TaskState::Cancel::deliver) return;
  if (task_.state.try_claim()) deliver_cancel(task_);
}

// Withdraws the request of this scope, which has failed and ended. A scope around it may fail at the same time: it
// marks itself before it requests the cancel, and this function withdraws the request before it looks at the marks. So
// one of the two leaves the request in place.
void CancelScope::withdraw() noexcept {
  task_.state.withdraw_scope_cancel();
  for (const CancelScope* scope = outer_; scope != nullptr; scope = scope->outer_) {
    if (scope->failed()) static_cast<void>(task_.state.request_scope_cancel());  // its own await delivers it
  }
}

bool CancelScope::cancels(std::uint8_t shield_depth) const noexcept {
  for (const CancelScope* scope = this; scope != nullptr; scope = scope->outer_) {
    if (scope->failed() && shield_depth <= scope->shield_depth_) return true;
  }
  return false;
}

bool TaskHeader::takes_cancel() noexcept {
  if (shield_depth == 0 && state.cancel_requested() && times_refused != kTimesRefusedMax) {
    ++times_refused;
    return true;
  }
  return scope != nullptr && scope->cancels(shield_depth);
}

void wake(TaskHeader& task) noexcept {
  if (task.state.wake() == TaskState::Wake::enqueue) enqueue(task);
}

void deliver_cancel(TaskHeader& task) noexcept {
  for (;;) {
    task.state.begin_delivery();
    const std::uint16_t times_refused = task.times_refused;
    if (task.cancelled() && task.wait->cancel()) return enqueue(task);
    task.times_refused = times_refused;  // no await has thrown: inspections repeat this
    switch (task.state.end_delivery()) {
      case TaskState::DeliveryEnd::suspended:
        return;
      case TaskState::DeliveryEnd::enqueue:
        return enqueue(task);
      case TaskState::DeliveryEnd::deliver_again:
        continue;
    }
  }
}

void end_inspection(TaskHeader& task) noexcept {
  switch (task.state.end_run()) {
    case TaskState::RunEnd::suspended:
      return;  // the task may already run, or be destroyed but for the caller's reference
    case TaskState::RunEnd::run_again:
      enqueue(task);
      return;
    case TaskState::RunEnd::cancelled:
      deliver_cancel(task);
      return;
  }
}

void cancel(TaskHeader& task) noexcept {
  if (task.state.request_cancel() != TaskState::Cancel::deliver) return;
  if (task.state.try_claim()) deliver_cancel(task);  // else queued or running: the worker that runs it sees the cancel
}

}  // namespace volt::sched
