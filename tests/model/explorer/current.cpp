// SPDX-License-Identifier: MIT

// The scheduler's context of the calling fiber. Replaces runtime/sched/current.cpp, which keeps the context per thread:
// all fibers run on one thread.
#include "runtime/sched/current.h"

#include <array>

#include "tests/model/explorer/memory.h"
#include "tests/model/explorer/operations.h"

namespace volt::sched {
namespace {
std::array<Context*, model::kThreadsMax> contexts;
}

Context* current() noexcept { return contexts[model::calling_thread()]; }
void set_current(Context* context) noexcept { contexts[model::calling_thread()] = context; }
Context& worker_context(const char*) noexcept { return *current(); }

}  // namespace volt::sched

namespace volt::coro {

// Frames come from the heap.
void* allocate_frame(std::size_t bytes) { return ::operator new(bytes); }
void free_frame(void* frame, std::size_t) noexcept { ::operator delete(frame); }

}  // namespace volt::coro
