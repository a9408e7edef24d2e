// SPDX-License-Identifier: MIT

// spawn: starts a coroutine as a separate task; JoinHandle: waits for its result.
//
//   JoinHandle<int> sum = spawn(add, 1, 2);      // runs concurrently, maybe on another worker
//   const int three = co_await std::move(sum);   // its value, or its exception
//
// A task that may outlive its caller must own its data: spawned coroutines take their parameters by value, and the
// compiler rejects references, pointers and views. Lambdas may be spawned if they capture nothing.
//
// A task may run on any worker. spawn_local() starts a pinned task: all its turns, and those of its children (Scope,
// all, race, within), run on one worker. Data that it shares only with pinned tasks of that worker needs no lock, and a
// reference from PerWorker::local() stays valid across a co_await. In return, other workers cannot help: a pinned task
// waits while its worker runs another task, also during a long computation.
//
// Threads: the functions below are called in tasks; other threads use Runtime::spawn(). A JoinHandle belongs to one
// task or thread at a time; its cancel() may be called from any thread.
// Lifetime: destroying a handle leaves its task running; the runtime still owns the task and cancels it when the
// runtime stops. A handle must not outlive its Runtime.
#pragma once

#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "runtime/sched/join.h"
#include "runtime/sched/spawned_task.h"
#include "runtime/task.h"

namespace volt {

template <class T>
class [[nodiscard]] JoinHandle {
 public:
  explicit JoinHandle(sched::SpawnedTask<T>& task) noexcept : task_(&task) {}  // takes over one reference to `task`
  JoinHandle(JoinHandle&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}
  JoinHandle& operator=(JoinHandle&& other) noexcept {
    std::swap(task_, other.task_);
    return *this;
  }
  ~JoinHandle() { detach(); }

  // Waits until the task is done; returns its value or rethrows its exception (Cancelled if the task was cancelled). If
  // the waiting task is cancelled, the wait ends and the joined task continues.
  auto operator co_await() && noexcept {
    struct Awaiter {
      sched::SpawnedTask<T>& task;
      sched::JoinWait wait;
      [[nodiscard]] bool await_ready() noexcept { return wait.await_ready(); }
      [[nodiscard]] bool await_suspend(std::coroutine_handle<> frame) noexcept { return wait.await_suspend(frame); }
      T await_resume() {
        wait.await_resume();
        return task.take();
      }
    };
    return Awaiter{*task_, sched::JoinWait(*task_, sched::OnCancel::leave)};
  }

  // Cancels the task: its current await, and every later one, throws Cancelled. Any thread may call it.
  void cancel() const noexcept { sched::cancel(*task_); }
  [[nodiscard]] bool done() const noexcept { return task_->state.done(); }

  // Gives up the result; the task continues.
  void detach() noexcept {
    if (task_ != nullptr) std::exchange(task_, nullptr)->release();
  }

  // Returns the task, for the runtime's combinators (all, race, within).
  [[nodiscard]] sched::SpawnedTask<T>& task() const noexcept { return *task_; }

 private:
  sched::SpawnedTask<T>* task_;
};

namespace sched {

template <class T>
inline constexpr bool kIsView = false;
template <class Char, class Traits>
inline constexpr bool kIsView<std::basic_string_view<Char, Traits>> = true;
template <class T, std::size_t extent>
inline constexpr bool kIsView<std::span<T, extent>> = true;

template <class... Params>
constexpr void require_owned() {
  static_assert((!std::is_reference_v<Params> && ...), "spawned coroutines take their parameters by value");
  static_assert((!std::is_pointer_v<Params> && ...), "spawned coroutines take owners, not pointers");
  static_assert((!kIsView<std::remove_cv_t<Params>> && ...),
                "spawned coroutines own what they read, they take no views");
}

// The value type of the task that a callable returns.
template <class T>
struct TaskValue;
template <class T>
struct TaskValue<Task<T>> {
  using Type = T;
};
template <class F, class... Args>
using SpawnedValue = typename TaskValue<std::invoke_result_t<F, Args...>>::Type;

template <class Result, class... Params>
constexpr void check_parameters(Result (*)(Params...)) {
  require_owned<Params...>();
}

template <class F, class... Args>
constexpr void check_spawnable() {
  if constexpr (std::is_pointer_v<F>) {
    check_parameters(F{});
  } else {
    static_assert(std::is_empty_v<F>, "a spawned lambda captures nothing: pass what it needs as arguments");
    if constexpr (requires(F f) { +f; }) check_parameters(decltype(+std::declval<F>()){});
    require_owned<std::decay_t<Args>...>();
  }
}

// Creates a task that runs `coroutine`, without starting it. The result holds one reference, the scheduler the other.
template <class T>
SpawnedTask<T>& make_task(Scheduler& scheduler, Task<T> coroutine) {
  return *new SpawnedTask<T>(scheduler, std::move(coroutine).release(), 2);
}

// Creates a task that the calling task waits for; it is pinned if the calling task is pinned.
template <class T>
SpawnedTask<T>& make_child(Task<T> coroutine) {
  const Context& context = *current();
  SpawnedTask<T>& child = make_task(*context.scheduler, std::move(coroutine));
  child.pinned = context.task->pinned;
  return child;
}

template <class T>
JoinHandle<T> start_local(Scheduler& scheduler, std::uint32_t worker, Task<T> coroutine) {
  SpawnedTask<T>& task = make_task(scheduler, std::move(coroutine));
  task.pinned = true;
  start_on(task, worker);
  return JoinHandle<T>(task);
}

}  // namespace sched

// Starts the coroutine `function(args...)` as a task of the current runtime. Must be called in a task.
template <class F, class... Args>
JoinHandle<sched::SpawnedValue<F, Args...>> spawn(F function, Args&&... args) {
  sched::check_spawnable<F, Args...>();
  auto& task = sched::make_task(*sched::current()->scheduler, function(std::forward<Args>(args)...));
  sched::start(task);
  return JoinHandle(task);
}

// Starts the coroutine `function(args...)` as a task on `worker`; the task may move to other workers later. Must be
// called in a task.
template <class F, class... Args>
JoinHandle<sched::SpawnedValue<F, Args...>> spawn_on(std::uint32_t worker, F function, Args&&... args) {
  sched::check_spawnable<F, Args...>();
  auto& task = sched::make_task(*sched::current()->scheduler, function(std::forward<Args>(args)...));
  sched::start_on(task, worker);
  return JoinHandle(task);
}

// Starts the coroutine `function(args...)` as a task that stays on `worker`. Must be called in a task.
template <class F, class... Args>
JoinHandle<sched::SpawnedValue<F, Args...>> spawn_local_on(std::uint32_t worker, F function, Args&&... args) {
  sched::check_spawnable<F, Args...>();
  return sched::start_local(*sched::current()->scheduler, worker, function(std::forward<Args>(args)...));
}

// Starts the coroutine `function(args...)` as a task that stays on the calling worker. Must be called in a task.
template <class F, class... Args>
JoinHandle<sched::SpawnedValue<F, Args...>> spawn_local(F function, Args&&... args) {
  return spawn_local_on(sched::current()->worker_index, function, std::forward<Args>(args)...);
}

}  // namespace volt
