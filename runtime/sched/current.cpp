// SPDX-License-Identifier: MIT

#include "runtime/sched/current.h"

#include "runtime/coro/promise.h"

namespace volt::sched {
namespace {
thread_local Context* t_current = nullptr;
}

Context* current() noexcept {
  asm volatile("");  // prevents the merging of two calls, which the compiler may do if the function has no side effect
  return t_current;
}

void set_current(Context* context) noexcept { t_current = context; }

}  // namespace volt::sched

namespace volt::coro {

FramePool* current_frame_pool() noexcept {
  const sched::Context* context = sched::current();
  return context != nullptr ? context->frames : nullptr;
}

}  // namespace volt::coro
