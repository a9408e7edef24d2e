// SPDX-License-Identifier: MIT

#include "runtime/blocking.h"

#include <system_error>

#include "runtime/sched/scheduler.h"

namespace volt::sched {
namespace {

// Returns the calling worker if other workers now act as if it were stuck, otherwise null.
Worker* begin_blocking() noexcept {
  Worker* const worker = worker_context("block_in_place()").worker;
  return worker->begin_blocking() ? worker : nullptr;
}

}  // namespace

bool BlockingWait::await_suspend(coro::AwaitPoint point) noexcept {
  suspend_at(point, WaitsFor::blocking);
  refused_ = !task->scheduler->blocking_pool().submit(*this);
  return !refused_;
}

bool BlockingWait::cancel() noexcept {
  if (!task->scheduler->blocking_pool().withdraw(*this)) return false;
  set_cancelled();
  return true;
}

void BlockingWait::throw_if_not_called() const {
  throw_if_cancelled();
  if (!refused_) return;
  throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                          "the queue of blocking calls is full");
}

BlockingInPlace::BlockingInPlace() noexcept : worker_(begin_blocking()) {}

void BlockingInPlace::end() noexcept { worker_->end_blocking(); }

}  // namespace volt::sched
