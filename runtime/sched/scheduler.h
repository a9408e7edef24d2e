// SPDX-License-Identifier: MIT

// Scheduler: the workers and the state that they share.
//
// Threads: any thread may call every member, with two exceptions. stop() belongs to the scheduler's creator, and
// start_unlisted() to its workers.
// Lifetime: outlives every task; stop() returns when no task is left.
//
// Stopping, in order:
//   1. end_tasks(): every live task is cancelled, repeatedly until none is left, because a task that unwinds may still
//      have spawned another task.
//   2. The blocking pool ends.
//   3. The watchdog ends.
//   4. The workers are notified to stop. Each worker ends when its queues are empty and its reactor polls only sources
//      that still have an owner.
//   5. The threads are joined, and the reactors are destroyed.
//   6. Queues and pools are destroyed. A stream that has outlived its scheduler is an orphan: it refers to the
//      scheduler until it is closed or used with another one. So if there are orphans, this step is done when the last
//      of them is closed or used with another scheduler.
//
// Edges
//   D1  stop() counts the orphans and destroys the reactors  ->  ended() : an orphan does not use them
//   D2  drop()  ->  the last drop(), which destroys the scheduler
//   D3  stop()  ->  stopping() : a worker that sees that the scheduler stops also sees all messages that tasks have
//       posted to it, and handles them before it ends
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <source_location>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/sched/blocking_pool.h"
#include "runtime/sched/clock.h"
#include "runtime/sched/global_queue.h"
#include "runtime/sched/heavy_queue.h"
#include "runtime/sched/idle_state.h"
#include "runtime/sched/metrics.h"
#include "runtime/sched/options.h"
#include "runtime/sched/process_forks.h"
#include "runtime/sched/profiler.h"
#include "runtime/sched/rescue_signal.h"
#include "runtime/sched/spare_workers.h"
#include "runtime/sched/task_header.h"
#include "runtime/sched/task_list.h"
#include "runtime/sched/tasks.h"
#include "runtime/sched/timeline.h"
#include "runtime/sched/victim_walk.h"
#include "runtime/sched/watchdog.h"
#include "runtime/sched/worker.h"
#include "runtime/sched/worker_places.h"
#include "runtime/sched/worker_set.h"

namespace volt::sched {

// Returns a place as text, "main.cpp:40"; empty if it is unknown.
[[nodiscard]] std::string place_text(const std::source_location& place);

class Scheduler {
 public:
  // `options` must contain a log and a resolver. Throws std::system_error if the threads or reactors cannot be created.
  Scheduler(const RuntimeOptions& options, io::Engine engine);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Registers and queues a new task of the calling worker, or of a thread that is not a worker.
  void start(TaskHeader& task);
  // Registers and queues a new task, on worker `index`.
  void start_on(TaskHeader& task, std::uint32_t index);
  // Queues a new task that is in no list of the scheduler, because a scope lists it.
  void start_unlisted(TaskHeader& task) noexcept;

  // Returns whether the task always runs on the same worker (`last_worker`): it is pinned, or stealing is off.
  [[nodiscard]] bool stays(const TaskHeader& task) const noexcept { return task.pinned || !stealing_; }

  // Returns the calling thread's worker, or null if the thread is not a worker of this scheduler. The result must not
  // be held across a suspension.
  [[nodiscard]] Worker* calling_worker() noexcept;

  // Puts a runnable task, which the caller holds active, into a queue. `worker` is the calling worker, or null on other
  // threads.
  void queue(TaskHeader& task, Worker* worker) noexcept;
  // Puts a runnable task into a queue of other threads: into the inbox of its worker if it stays there, otherwise into
  // the global queue.
  void inject(TaskHeader& task) noexcept;
  // Puts a runnable task into the heavy queue.
  void queue_heavy(TaskHeader& task) noexcept;
  // Wakes a parked worker to search for work, unless a worker searches already. Returns false if no worker was woken.
  bool notify_one() noexcept;

  // Wakes a worker that the caller has claimed (IdleState).
  void wake(Worker& claimed) noexcept;

  [[nodiscard]] std::uint32_t worker_count() const noexcept { return worker_count_; }
  // Returns how many workers there can be, with spares.
  [[nodiscard]] std::uint32_t worker_slots() const noexcept { return worker_count_ + spares_.max(); }
  // Returns the worker with that index. Spares have the indices from worker_count() on, if they exist.
  [[nodiscard]] Worker& worker(std::uint32_t index) const noexcept {
    return index < worker_count_ ? *workers_[index] : spares_.worker(index - worker_count_);
  }
  [[nodiscard]] GlobalQueue<TaskHeader>& global() noexcept { return global_; }
  [[nodiscard]] HeavyQueue& heavy() noexcept { return heavy_; }
  [[nodiscard]] Clock& clock() noexcept { return clock_; }
  [[nodiscard]] IdleState& idle() noexcept { return idle_; }
  [[nodiscard]] const VictimWalk& victims() const noexcept { return victims_; }
  // The workers with a backlog that is worth a theft. Each adds and removes itself (WorkerLoop::show_backlog).
  [[nodiscard]] WorkerSet& backlogs() noexcept { return backlogs_; }
  [[nodiscard]] WorkerPlaces& places() noexcept { return places_; }
  [[nodiscard]] Watchdog& watchdog() noexcept { return watchdog_; }
  [[nodiscard]] const RescueSignal& rescue_signal() const noexcept { return rescue_signal_; }
  // Looks for the reason why the thread of a worker cannot be interrupted, and reports it once. Returns false if there
  // is none.
  bool report_rescue_obstacle(pid_t thread) noexcept;
  // Sets the function to which report_rescue_obstacle() reports. Called before any task is started.
  void on_rescue_obstacle(std::function<void(const std::string&)> observer) {
    on_rescue_obstacle_ = std::move(observer);
  }
  [[nodiscard]] SpareWorkers& spares() noexcept { return spares_; }
  [[nodiscard]] Timeline& timeline() noexcept { return timeline_; }
  [[nodiscard]] Profiler& profiler() noexcept { return profiler_; }
  [[nodiscard]] BlockingPool& blocking_pool() noexcept { return blocking_pool_; }
  [[nodiscard]] bool stealing() const noexcept { return stealing_; }
  [[nodiscard]] bool stopping() const noexcept { return stopping_.load(base::acquire); }  // D3
  // Returns the estimated cost of waking a parked worker. If a worker's backlog takes less time than this, waking
  // another worker does not pay: the backlog is finished before the woken worker could take over a part of it.
  [[nodiscard]] std::int64_t wake_cost_ns() const noexcept { return wake_cost_ns_; }
  [[nodiscard]] Log& log() noexcept { return *log_; }
  [[nodiscard]] const std::shared_ptr<Log>& shared_log() const noexcept { return log_; }
  [[nodiscard]] const std::shared_ptr<Resolver>& resolver() const noexcept { return resolver_; }
  // Ends the process if it is a child of the one in which the scheduler was created (fork()).
  void require_process() const noexcept;
  // Ends the process if stop() would never return here: in such a child, and on a thread of the scheduler.
  void require_stoppable() const noexcept;
  void count_detached_failure() noexcept { detached_failures_.fetch_add(1, base::relaxed); }  // relaxed: a statistic
  [[nodiscard]] RuntimeMetrics metrics() const;
  [[nodiscard]] std::size_t live_tasks() const noexcept;
  // Returns a report of the oldest tasks, at most `count_max`; if `with_awaits` is true, with their await chains.
  [[nodiscard]] TaskReport tasks(std::size_t count_max, bool with_awaits = false) const;
  // Returns the number of times that workers have resumed a task. A worker that is parked has published its exact
  // number.
  [[nodiscard]] std::uint64_t tasks_run() const noexcept;

  // Cancels all tasks and waits until they have ended. Returns false if tasks are left after `limit`. Calls
  // report(waited) on this thread when the wait has lasted long, and before returning false.
  [[nodiscard]] bool end_tasks(std::chrono::nanoseconds limit,
                               const std::function<void(std::chrono::nanoseconds)>& report) noexcept;
  // Ends the threads. Must be called after end_tasks() has returned true, and before the destructor.
  void stop() noexcept;

  // Returns whether stop() has returned, so that no thread and no reactor is left.
  [[nodiscard]] bool ended() const noexcept { return ended_.load(base::acquire); }  // D1
  // Called once by the scheduler's creator, after stop(), and once by each orphan, when it is closed or gets a home in
  // another scheduler. The last one destroys the scheduler.
  void drop() noexcept;

 private:
  // Counts a new task of a thread that is not a worker, and gives it its id. Returns how many there were before.
  std::uint64_t count_outside(TaskHeader& task) noexcept;
  void list_outside(TaskHeader& task) noexcept;
  [[nodiscard]] std::size_t tasks_started() const noexcept;
  [[nodiscard]] std::size_t tasks_ended() const noexcept;
  [[nodiscard]] bool no_task_left() const noexcept;
  template <class F>
  void for_each_worker(F function) const {
    for (std::uint32_t i = 0; i != worker_count_ + spares_.count(); ++i) function(worker(i));
  }

  const std::shared_ptr<Log> log_;
  const std::shared_ptr<Resolver> resolver_;
  const std::uint32_t worker_count_;
  const bool stealing_;
  Clock clock_;
  const std::int64_t wake_cost_ns_;
  GlobalQueue<TaskHeader> global_;
  HeavyQueue heavy_;
  IdleState idle_;
  VictimWalk victims_;
  WorkerSet backlogs_;
  WorkerPlaces places_;
  alignas(base::kNoSharingBytes) BlockingPool blocking_pool_;  // away from what searches read
  RescueSignal rescue_signal_;
  std::function<void(const std::string&)> on_rescue_obstacle_;
  base::Atomic<bool> obstacle_reported_{false};
  Watchdog watchdog_;
  std::vector<std::unique_ptr<Worker>> workers_;
  SpareWorkers spares_;
  Timeline timeline_{*this};
  Profiler profiler_{*this};
  std::vector<std::thread> threads_;
  TaskList outside_tasks_;  // spawned by threads that are not workers, but not by way of the global queue
  const DebuggerEntry debugger_entry_{outside_tasks_, nullptr, nullptr};
  base::Atomic<std::uint64_t> detached_failures_{0};
  const std::uint32_t forks_ = process_forks();
  base::Atomic<bool> stopping_{false};
  base::Atomic<bool> ended_{false};
  base::Atomic<std::size_t> owners_{1};  // its creator and, when it has ended, the orphans
  // Away from what workers read.
  alignas(base::kNoSharingBytes) base::Atomic<std::uint64_t> spawned_outside_{0};  // by threads that are not workers
};

}  // namespace volt::sched
