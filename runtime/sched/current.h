// SPDX-License-Identifier: MIT

// The scheduler's context of the calling thread. The only thread-local variable of the runtime is accessed through
// the functions of this file.
#pragma once

#include <cstdint>

#include "runtime/sched/budget.h"

namespace volt {
class LogContext;
}

namespace volt::coro {
class FramePool;
}

namespace volt::sched {

class ChildOffers;
class Clock;
class Forks;
class Scheduler;
class Timers;
class Worker;
struct TaskHeader;

// The part of a worker that public headers use, so that they need not include worker.h. Each worker owns one Context
// and fills it in.
struct Context {
  Worker* worker = nullptr;
  Scheduler* scheduler = nullptr;
  TaskHeader* task = nullptr;               // the task that runs now
  const LogContext* log_context = nullptr;  // of that task, or of the task whose fork() offered the job that runs now
  coro::FramePool* frames = nullptr;
  Forks* forks = nullptr;  // null if no other worker can steal
  ChildOffers* child_offers = nullptr;
  Timers* timers = nullptr;
  const Clock* clock = nullptr;
  std::uint32_t worker_index = 0;
  OperationBudget budget;          // budget of the task that runs now
  std::uint64_t turn = 0;          // number of turns of tasks that it has begun
  std::int64_t tick_time_ns = 0;   // when the current tick began, or when events were last handled in it
  std::int64_t queued_for_ns = 0;  // how long the task that runs now waited in queues before this turn
  std::int64_t idle_at_ns = 0;     // when the worker last had no task to run
};

// Returns the context of the calling worker thread, or null on other threads. Must not be inlined: a compiler may cache
// the address of a thread-local variable across a suspension, but the coroutine may continue on another thread (llvm
// #47177). For the same reason the caller must not keep the result across a co_await.
[[gnu::noinline]] Context* current() noexcept;

// Makes the calling thread a worker with `context`; null makes it an ordinary thread again.
void set_current(Context* context) noexcept;

// Returns the scheduler to which the calling thread belongs, as a worker, as a thread of its blocking pool or as its
// watchdog; null on other threads.
[[nodiscard, gnu::noinline]] Scheduler* current_scheduler() noexcept;

// Makes the calling thread, which is not a worker, a thread of `scheduler`.
void set_current_scheduler(Scheduler& scheduler) noexcept;

// Sets the log context of the calling thread, which is not a worker.
void set_thread_log_context(const LogContext* context) noexcept;
// Returns the log context of the calling thread, worker or not; null if it has none.
[[nodiscard, gnu::noinline]] const LogContext* current_log_context() noexcept;

// Returns the context of the calling worker. Ends the process if the calling thread is not a worker; the message names
// `caller`, a function that tasks call.
[[nodiscard, gnu::noinline]] Context& worker_context(const char* caller) noexcept;

// Returns current_scheduler(). Ends the process if there is none; the message names `caller`, a function like spawn().
[[nodiscard]] Scheduler& spawning_scheduler(const char* caller) noexcept;

}  // namespace volt::sched
