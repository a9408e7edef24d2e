// SPDX-License-Identifier: MIT

// Runtime: the scheduler, its workers and their reactors, as one object that main() creates and passes down.
//
//   volt::Runtime runtime({.workers = 4});
//   const int answer = runtime.block_on(compute, 42);
//
// Threads: spawn, block_on and metrics may be called from any thread that is not one of its workers.
// Lifetime: the destructor stops the runtime: every task is cancelled and unwinds, then the threads end. If tasks have
// not ended after a second, the log names them. A stream, listener or client may outlive its Runtime: it can then be
// destroyed, or used with another Runtime. A JoinHandle may not. A Runtime must not be destroyed by one of its own
// tasks, so a task must not call exit() if the Runtime is a static object; it may call _Exit(). After fork() the child
// must not use a Runtime of the parent.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>

#include "runtime/metrics.h"
#include "runtime/options.h"
#include "runtime/spawn.h"
#include "runtime/tasks.h"

namespace volt {

class TraceFile;

class Runtime {
 public:
  // Starts the workers. Throws std::system_error if threads or reactors cannot be created, or if `options.io` requires
  // an engine that the system refuses; std::invalid_argument if a number in `options` is out of range.
  explicit Runtime(RuntimeOptions options = {});
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Starts the coroutine `function(args...)` as a task and returns its handle.
  template <class F, class... Args>
  JoinHandle<sched::SpawnedValue<F, Args...>> spawn(F function, Args&&... args) {
    auto& task = sched::make_detachable(scheduler(), sched::call_spawned<F>(function, std::forward<Args>(args)...));
    sched::start(task);
    return JoinHandle(task);
  }

  // Starts the coroutine `function(args...)` as a task on `worker`; the task may move to other workers later.
  template <class F, class... Args>
  JoinHandle<sched::SpawnedValue<F, Args...>> spawn_on(std::uint32_t worker, F function, Args&&... args) {
    auto& task = sched::make_detachable(scheduler(), sched::call_spawned<F>(function, std::forward<Args>(args)...));
    sched::start_on(task, worker);
    return JoinHandle(task);
  }

  // Starts the coroutine `function(args...)` as a task that stays on `worker` (runtime/spawn.h).
  template <class F, class... Args>
  JoinHandle<sched::SpawnedValue<F, Args...>> spawn_local_on(std::uint32_t worker, F function, Args&&... args) {
    return sched::start_local(scheduler(), worker, sched::call_spawned<F>(function, std::forward<Args>(args)...));
  }

  // Runs `function(args...)` as a task and blocks the calling thread until the task is done; returns its value or
  // rethrows its exception. The callable may refer to variables of the calling function.
  template <class F, class... Args>
  sched::SpawnedValue<F, Args...> block_on(F&& function, Args&&... args) {
    auto& task = sched::make_task(scheduler(), function(std::forward<Args>(args)...));
    JoinHandle handle(task);
    wait_for(task);
    return task.take();
  }

  [[nodiscard]] std::uint32_t worker_count() const noexcept;
  // Returns how many values this_worker() can have: the number of workers and of the spare workers that may serve while
  // all workers are stuck (RuntimeOptions::spare_workers_max).
  [[nodiscard]] std::uint32_t worker_slots() const noexcept;
  [[nodiscard]] IoEngine engine() const noexcept { return engine_; }  // IoEngine::uring or IoEngine::epoll
  [[nodiscard]] RuntimeMetrics metrics() const;
  // Returns a report of up to `count_max` tasks. Collecting it briefly blocks threads that spawn or end tasks, in
  // proportion to the number of tasks. May sleep for some milliseconds: it is collected again if tasks were missing,
  // because a worker was taking them out of a queue.
  [[nodiscard]] TaskReport tasks(std::size_t count_max) const;
  // Returns a report with the coroutines of each waiting task, the innermost 32 (TaskInfo::awaits). A task that is
  // woken while they are read is queued right after that.
  [[nodiscard]] TaskReport tasks_with_awaits(std::size_t count_max) const;

  // Sets the observer that a thread of the runtime calls when a task has kept its worker for a millisecond or more,
  // again when it has done so for 50 milliseconds and for a second, and in these two cases at its end (Stall::ended).
  // Only the time for which the task computes or is blocked counts. If its thread only waits for a processor, the
  // observer is called once, after 50 milliseconds, with StallCause::no_processor. The observer must return quickly:
  // while it runs, no stuck worker is found. An exception of the observer is logged. Null removes the observer; the
  // call returns after a running call of the observer has finished, unless the observer itself makes the call. The
  // observer is called only if rescue is enabled.
  void on_stall(std::function<void(const Stall&)> observer);
  [[nodiscard]] Log& log() noexcept;  // the log of RuntimeOptions::log
  [[nodiscard]] std::shared_ptr<Log> shared_log() const noexcept;

  // Cancels all tasks and waits until they have ended, as the destructor does, but for at most `limit`. Returns false
  // if tasks are left; the log then names them. A task that swallows Cancelled, or a callable of blocking() that does
  // not return, may never end, and the destructor would wait for it: the program can then only end without the
  // destructor (std::_Exit). After a task has swallowed Cancelled ten thousand times, its awaits wait again, so it uses
  // no processor time.
  [[nodiscard]] bool end_tasks(std::chrono::nanoseconds limit) noexcept;

  // Advances the manual clock (RuntimeOptions::manual_clock) by `duration`; sleeps, deadlines and coarse_now() follow
  // this clock. Blocks until every timer within `duration` has fired, in order, and every task, including those that
  // the timers resumed, has suspended or ended. A duration of 0 only waits for running work. Does not wait for
  // callables of blocking(), nor for work on other threads. Called in a task of this runtime, it advances the time at
  // once, and timers fire when the workers next check them. `duration` is rounded up to whole microseconds.
  void advance_clock(std::chrono::nanoseconds duration);

 private:
  class Schedtrace;
  friend class TimelineRecording;
  friend class ProfileRecording;

  [[nodiscard]] sched::Scheduler& scheduler() noexcept { return *scheduler_; }
  void wait_for(sched::TaskHeader& task);

  IoEngine engine_;
  std::unique_ptr<sched::Scheduler> scheduler_;
  std::unique_ptr<Schedtrace> schedtrace_;
  std::unique_ptr<TraceFile> trace_file_;  // null unless VOLT_TRACE is set (runtime/timeline.h)
};

// Returns the number of processors that this process may use: those of its affinity mask, limited by the CPU quota of
// its cgroup, rounded up.
[[nodiscard]] std::uint32_t usable_processors() noexcept;

}  // namespace volt
