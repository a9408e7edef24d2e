// SPDX-License-Identifier: MIT

// spawn: starts a coroutine as a separate task; JoinHandle: waits for its result.
//
//   JoinHandle<int> sum = spawn(add, 1, 2);      // runs concurrently, maybe on another worker
//   const int three = co_await std::move(sum);   // its value, or its exception
//
// A task that may outlive its caller must own its data: spawned coroutines take their parameters by value, and the
// compiler rejects references, pointers, views and std::reference_wrapper. With borrow() (runtime/borrowed.h) a program
// states that an object outlives the task. Lambdas may be spawned if they capture nothing. A generic or overloaded call
// operator must take exactly the types of the arguments.
//
// A task may run on any worker. spawn_local() starts a pinned task: all its turns, and those of its children (Scope,
// all, race, within), run on one worker. Data that it shares only with pinned tasks of that worker needs no lock, and a
// reference from PerWorker::local() stays valid across a co_await. In return, other workers cannot help: a pinned task
// waits while its worker runs another task, also during a long computation.
//
// Threads: the functions below are called in tasks, or in callables of blocking(); other threads use Runtime::spawn().
// A JoinHandle belongs to one task or thread at a time; its cancel() may be called from any thread.
// Lifetime: destroying a handle leaves its task running; the runtime still owns the task and cancels it when the
// runtime stops. A handle must not outlive its Runtime.
#pragma once

#include <cstdint>
#include <source_location>
#include <utility>

#include "runtime/borrowed.h"
#include "runtime/internal/spawnable.h"
#include "runtime/sched/join.h"
#include "runtime/sched/spawned_task.h"
#include "runtime/task.h"

namespace volt {

template <class T>
class [[nodiscard("co_await the handle for the result, or call .detach() to do without it")]] JoinHandle {
 public:
  explicit JoinHandle(sched::SpawnedTask<T>& task) noexcept : task_(&task) {}  // takes over one reference to `task`
  JoinHandle(JoinHandle&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  JoinHandle& operator=(JoinHandle&& other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~JoinHandle() {
    if (task_ != nullptr) task_->release();
  }

  // Waits until the task is done; returns its value or rethrows its exception (Cancelled if the task was cancelled). If
  // the waiting task is cancelled, the wait ends and the joined task continues.
  auto operator co_await() && noexcept {
    require_task();
    struct Awaiter {
      sched::SpawnedTask<T>& task;
      sched::JoinWait wait;
      [[nodiscard]] bool await_ready() noexcept { return wait.await_ready(); }
      [[nodiscard]] bool await_suspend(coro::AwaitPoint point) noexcept { return wait.await_suspend(point); }
      T await_resume() {
        wait.await_resume();
        return task.take();
      }
    };
    return Awaiter{*task_, sched::JoinWait(*task_, sched::OnCancel::leave)};
  }
  auto operator co_await() const& noexcept {
    static_assert(false, "await a JoinHandle once, with std::move: co_await std::move(handle)");
    return std::move(const_cast<JoinHandle&>(*this)).operator co_await();
  }

  // Cancels the task: its current await, and every later one, throws Cancelled. Any thread may call it.
  void cancel() const noexcept {
    require_task();
    sched::cancel(*task_);
  }
  [[nodiscard]] bool done() const noexcept {
    require_task();
    return task_->state.done();
  }

  // Gives up the result; the task continues. If an exception other than Cancelled ends it, the exception is logged with
  // the place of this call, and counted (RuntimeMetrics::detached_failures). So is that of a task whose handle is only
  // destroyed; but if a thread outside the runtime destroys it after the task's end, the line goes to stderr and the
  // exception is not counted, because the runtime may be gone.
  void detach(std::source_location where = std::source_location::current()) noexcept {
    if (task_ == nullptr) return;
    task_->detached_at.store(where, base::relaxed);  // relaxed: for reports; the reference that is dropped orders it
    std::exchange(task_, nullptr)->release();
  }

  // Returns the task, for the runtime's combinators (all, race, within).
  [[nodiscard]] sched::SpawnedTask<T>& task() const noexcept { return *task_; }

 private:
  void require_task() const noexcept {
    VOLT_REQUIRE(task_ != nullptr,
                 "a JoinHandle was used after it was moved from or detached: use the handle that it was moved to");
  }

  sched::SpawnedTask<T>* task_;
};

namespace sched {

// Creates a task that runs `coroutine`, without starting it. The result holds one reference, the scheduler the other.
template <class T>
SpawnedTask<T>& make_task(Scheduler& scheduler, Task<T> coroutine) {
  return *new SpawnedTask<T>(scheduler, std::move(coroutine).release(), 2);
}

// Creates a task whose exception is logged if no handle takes it.
template <class T>
SpawnedTask<T>& make_detachable(Scheduler& scheduler, Task<T> coroutine) {
  SpawnedTask<T>& task = make_task(scheduler, std::move(coroutine));
  task.reports_failure = true;
  return task;
}

// Creates a task that the calling task waits for. It is pinned if the calling task is pinned, and has the span and the
// log context of the calling task.
template <class T>
SpawnedTask<T>& make_child(Task<T> coroutine) {
  const Context& context = *current();
  SpawnedTask<T>& child = make_task(*context.scheduler, std::move(coroutine));
  child.pinned = context.task->pinned;
  child.span = context.task->span;
  child.log_context = context.log_context;
  return child;
}

template <class T>
JoinHandle<T> start_local(Scheduler& scheduler, std::uint32_t worker, Task<T> coroutine) {
  SpawnedTask<T>& task = make_detachable(scheduler, std::move(coroutine));
  task.pinned = true;
  start_on(task, worker);
  return JoinHandle<T>(task);
}

}  // namespace sched

// Starts the coroutine `function(args...)` as a task of the current runtime. Must be called in a task or in blocking().
template <class F, class... Args>
JoinHandle<sched::SpawnedValue<F, Args...>> spawn(F function, Args&&... args) {
  auto& task = sched::make_detachable(sched::spawning_scheduler("spawn()"),
                                      sched::call_spawned<F>(function, std::forward<Args>(args)...));
  sched::start(task);
  return JoinHandle(task);
}

// Starts the coroutine `function(args...)` as a task on `worker`. The task may move to other workers later; a task that
// is known to be heavy (runtime/sched/work_class.h) may even start on another one. Must be called in a task or in
// blocking().
template <class F, class... Args>
JoinHandle<sched::SpawnedValue<F, Args...>> spawn_on(std::uint32_t worker, F function, Args&&... args) {
  auto& task = sched::make_detachable(sched::spawning_scheduler("spawn_on()"),
                                      sched::call_spawned<F>(function, std::forward<Args>(args)...));
  sched::start_on(task, worker);
  return JoinHandle(task);
}

// Starts the coroutine `function(args...)` as a task that stays on `worker`. Must be called in a task or in blocking().
template <class F, class... Args>
JoinHandle<sched::SpawnedValue<F, Args...>> spawn_local_on(std::uint32_t worker, F function, Args&&... args) {
  return sched::start_local(sched::spawning_scheduler("spawn_local_on()"), worker,
                            sched::call_spawned<F>(function, std::forward<Args>(args)...));
}

// Starts the coroutine `function(args...)` as a task that stays on the calling worker. Must be called in a task.
template <class F, class... Args>
JoinHandle<sched::SpawnedValue<F, Args...>> spawn_local(F function, Args&&... args) {
  return spawn_local_on(sched::worker_context("spawn_local()").worker_index, function, std::forward<Args>(args)...);
}

}  // namespace volt
