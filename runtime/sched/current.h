// What the calling thread is to the scheduler. The only thread-local variable of the runtime is behind `current()`.
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
  TaskHeader* task = nullptr;  // the one that runs now
  coro::FramePool* frames = nullptr;
  Forks* forks = nullptr;  // null if there is nobody to share with
  OperationBudget budget;  // of the task that runs now
};

// The context of the calling worker thread, null elsewhere. Never inlined: a compiler may keep the address of a
// thread-local variable across a suspension, after which the coroutine runs on another thread (clang's llvm #47177).
// For the same reason its result must not be held across a co_await.
[[gnu::noinline]] Context* current() noexcept;

// The calling thread becomes (or, with null, ceases to be) a worker.
void set_current(Context* context) noexcept;

}  // namespace volt::sched
