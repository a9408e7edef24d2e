// SPDX-License-Identifier: MIT

#include "runtime/sched/child_group.h"

#include <mutex>
#include <utility>

namespace volt::sched {

// Makes tasks of the rest at once, and queues them.
void ChildGroup::start_rest(ChildOffers& offers) noexcept {
  rest_ = Rest::tasks;
  offers.start(*this);
}

// Called when no further child runs inline. If one has failed, cancels those that are tasks.
bool ChildGroup::stop() noexcept {
  if (inline_failed_ && rest_ == Rest::tasks) cancel_all();
  return false;
}

void ChildGroup::make_tasks(base::Chain<TaskHeader>& tasks) noexcept {
  for (std::uint32_t i = next_; i != count_; ++i) {
    ChildTask& child = make_task(i);
    child.id = task().id;
    child.pinned = pinned_;
    child.span = span_;
    child.log_context = log_context_;
    bool cancelled = false;
    {
      const std::scoped_lock lock(lock_);
      child.older_ = std::exchange(newest_, &child);
      cancelled = cancelled_;
    }
    if (cancelled) static_cast<void>(child.state.request_cancel());  // it sees this when it runs
    tasks.push_back(&child);
  }
}

void ChildGroup::cancel_all() noexcept {
  ChildTask* newest = nullptr;
  {
    const std::scoped_lock lock(lock_);
    cancelled_ = true;  // those of which tasks are made from now on are cancelled at once
    newest = newest_;
  }
  for (ChildTask* child = newest; child != nullptr; child = child->older_) cancel(*child);
}

bool ChildGroup::start_wait(Suspension& wait) noexcept {
  const std::scoped_lock lock(lock_);
  running_ += count_ - next_;
  if (running_ == 0) return false;
  waiting_ = &wait;
  return true;
}

// Keeps the first error. Returns false if there was one before.
bool ChildGroup::keep_error(std::exception_ptr error) noexcept {
  const std::scoped_lock lock(lock_);
  if (error_) return false;
  error_ = std::move(error);
  return true;
}

void ChildGroup::fail_inline(std::exception_ptr error) noexcept {
  inline_failed_ = true;
  static_cast<void>(keep_error(std::move(error)));
}

// Called when a child that is a task has failed, and is not yet gone.
void ChildGroup::fail(std::exception_ptr error) noexcept {
  if (!keep_error(std::move(error))) return;
  CancelScope::fail();
  cancel_all();
}

// Called when a child that is a task is done, and will not be touched again.
void ChildGroup::child_gone() noexcept {
  Suspension* waiting = nullptr;
  {
    const std::scoped_lock lock(lock_);
    if (--running_ == 0) waiting = std::exchange(waiting_, nullptr);
  }
  // If the task waited, it still exists, because only this call wakes it. If not, the group may be destroyed by now.
  if (waiting != nullptr) wake(*waiting->task);
}

}  // namespace volt::sched
