// The scheduler's context of the calling thread. The only thread-local variable of the runtime is accessed through
// current().
#pragma once

#include "runtime/sched/budget.h"

namespace volt::coro {
class FramePool;
}

namespace volt::sched {

class Forks;
class Worker;
struct TaskHeader;

struct Context {
  Worker* worker = nullptr;
  TaskHeader* task = nullptr;  // the task that runs now
  coro::FramePool* frames = nullptr;
  Forks* forks = nullptr;  // null if stealing is off
  OperationBudget budget;  // budget of the task that runs now
};

// Returns the context of the calling worker thread, or null on other threads. Never inlined: a compiler may keep the
// address of a thread-local variable across a suspension, after which the coroutine runs on another thread (clang's
// llvm #47177). For the same reason the result must not be held across a co_await.
[[gnu::noinline]] Context* current() noexcept;

// Makes the calling thread a worker with `context`; null makes it an ordinary thread again.
void set_current(Context* context) noexcept;

}  // namespace volt::sched
