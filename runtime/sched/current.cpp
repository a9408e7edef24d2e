// SPDX-License-Identifier: MIT

#include "runtime/sched/current.h"

#include "runtime/base/check.h"
#include "runtime/coro/promise.h"
#include "runtime/coro/shared_frame_pool.h"

namespace volt::sched {
namespace {
struct Thread {
  Context* context = nullptr;               // of a worker
  Scheduler* scheduler = nullptr;           // of another thread of a scheduler
  const LogContext* log_context = nullptr;  // of another thread, while it makes a call for a task
};
constinit thread_local Thread t_current;
}  // namespace

Context* current() noexcept {
  asm volatile("");  // prevents the merging of two calls, which the compiler may do if the function has no side effect
  return t_current.context;
}

void set_current(Context* context) noexcept { t_current.context = context; }

Scheduler* current_scheduler() noexcept {
  asm volatile("");  // as in current()
  return t_current.context != nullptr ? t_current.context->scheduler : t_current.scheduler;
}

void set_current_scheduler(Scheduler& scheduler) noexcept { t_current.scheduler = &scheduler; }

void set_thread_log_context(const LogContext* context) noexcept { t_current.log_context = context; }

Context& worker_context(const char* caller) noexcept {
  asm volatile("");  // as in current()
  if (t_current.context == nullptr) [[unlikely]] {
    base::misused_by(caller,
                     " was called outside a task: call it in a coroutine that spawn() or block_on() of a Runtime runs",
                     __FILE__, __LINE__);
  }
  return *t_current.context;
}

Scheduler& spawning_scheduler(const char* caller) noexcept {
  Scheduler* const scheduler = current_scheduler();
  if (scheduler == nullptr) [[unlikely]] {
    base::misused_by(caller,
                     " was called on a thread that belongs to no Runtime: call it in a task or in blocking(), or as a "
                     "member of a Runtime",
                     __FILE__, __LINE__);
  }
  return *scheduler;
}

const LogContext* current_log_context() noexcept {
  asm volatile("");  // as in current()
  return t_current.context != nullptr ? t_current.context->log_context : t_current.log_context;
}

}  // namespace volt::sched

namespace volt::coro {

void* allocate_frame(std::size_t bytes) {
  const sched::Context* context = sched::t_current.context;
  return context != nullptr ? context->frames->allocate(bytes) : SharedFramePool::of_process().allocate(bytes);
}

void free_frame(void* frame, std::size_t bytes) noexcept {
  const sched::Context* context = sched::t_current.context;
  if (context != nullptr) return FramePool::deallocate(frame, bytes, context->frames);
  SharedFramePool::of_process().deallocate(frame, bytes);
}

}  // namespace volt::coro
