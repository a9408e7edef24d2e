// Runtime: the scheduler, its workers and their reactors, as one object that main() makes and passes down.
//
//   volt::Runtime runtime({.workers = 4});
//   const int answer = runtime.block_on(compute, 42);
//
// Threads: spawn, block_on and metrics may be called from any thread that is not one of its workers.
// Lifetime: the destructor stops it: every task is cancelled and unwinds, then the threads end. Nothing that it made
// (streams, handles) outlives it.
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

class Runtime {
 public:
  // Throws std::system_error if threads or reactors cannot be had, or `options.io` asks for an engine that the system
  // refuses.
  explicit Runtime(RuntimeOptions options = {});
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  // Starts `function(args...)`, a coroutine, as a task.
  template <class F, class... Args>
  JoinHandle<sched::SpawnedValue<F, Args...>> spawn(F function, Args&&... args) {
    sched::check_spawnable<F, Args...>();
    auto& task = sched::make_task(scheduler(), function(std::forward<Args>(args)...));
    scheduler().start(task);
    return JoinHandle(task);
  }

  // The same, and on that worker to begin with.
  template <class F, class... Args>
  JoinHandle<sched::SpawnedValue<F, Args...>> spawn_on(std::uint32_t worker, F function, Args&&... args) {
    sched::check_spawnable<F, Args...>();
    auto& task = sched::make_task(scheduler(), function(std::forward<Args>(args)...));
    scheduler().start_on(task, worker);
    return JoinHandle(task);
  }

  // The same, and it stays there (runtime/spawn.h).
  template <class F, class... Args>
  JoinHandle<sched::SpawnedValue<F, Args...>> spawn_local_on(std::uint32_t worker, F function, Args&&... args) {
    sched::check_spawnable<F, Args...>();
    return sched::start_local(scheduler(), worker, function(std::forward<Args>(args)...));
  }

  // Runs `function(args...)` as a task and waits for it: its value, or what it threw. The calling thread sleeps
  // meanwhile, so the callable may refer to its variables.
  template <class F, class... Args>
  sched::SpawnedValue<F, Args...> block_on(F&& function, Args&&... args) {
    auto& task = sched::make_task(scheduler(), function(std::forward<Args>(args)...));
    JoinHandle handle(task);
    wait_for(task);
    return task.take();
  }

  [[nodiscard]] std::uint32_t worker_count() const noexcept;
  [[nodiscard]] IoEngine engine() const noexcept { return engine_; }  // uring or epoll
  [[nodiscard]] RuntimeMetrics metrics() const;
  // At most that many of its tasks. While it looks, whoever spawns or ends a task may wait: some 50 ns a task.
  [[nodiscard]] TaskReport tasks(std::size_t count_max) const;

  // `observer` is told, by a thread of the runtime's, that a worker has been in one task for a millisecond or more; again
  // if that has become 50. It must be quick. Null: nobody; then none is under way any more. Needs rescue, which a runtime
  // of one worker has not.
  void on_stall(std::function<void(const Stall&)> observer);
  [[nodiscard]] Log& log() noexcept;  // RuntimeOptions::log
  [[nodiscard]] std::shared_ptr<Log> shared_log() const noexcept;

  // Moves a manual clock (RuntimeOptions::manual_clock): sleeps, deadlines and coarse_now() follow it. Returns when
  // everything that was under way waits, every timer within `duration` has fired in its order, and all that this set
  // off waits again; 0 only waits for that. Not waited for: callables of blocking(), and what other threads do
  // meanwhile. In a task of this runtime the time jumps at once, and timers fire when workers look next.
  // The time moves by whole ticks of the timer wheel (66 us): by `duration`, rounded up.
  void advance_clock(std::chrono::nanoseconds duration);

 private:
  class Schedtrace;

  [[nodiscard]] sched::Scheduler& scheduler() noexcept { return *scheduler_; }
  void wait_for(sched::TaskHeader& task);

  IoEngine engine_;
  std::unique_ptr<sched::Scheduler> scheduler_;
  std::unique_ptr<Schedtrace> schedtrace_;
};

// How many processors this process may use: its affinity mask, and the quota of its cgroup, rounded up.
[[nodiscard]] std::uint32_t usable_processors() noexcept;

}  // namespace volt
