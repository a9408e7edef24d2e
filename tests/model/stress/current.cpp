// SPDX-License-Identifier: MIT

// Replaces runtime/sched/current.cpp.
#include "runtime/sched/current.h"

namespace volt::sched {
namespace {
thread_local Context* t_current = nullptr;
}

Context* current() noexcept {
  asm volatile("");
  return t_current;
}
void set_current(Context* context) noexcept { t_current = context; }
Context& worker_context(const char*) noexcept { return *current(); }

}  // namespace volt::sched

namespace volt::coro {

// Frames come from the heap.
void* allocate_frame(std::size_t bytes) { return ::operator new(bytes); }
void free_frame(void* frame, std::size_t) noexcept { ::operator delete(frame); }

}  // namespace volt::coro
