// Scheduler: the workers and what they share.
//
// Threads: every member may be called from any thread, but for start() and stop(), which belong to its creator.
// Lifetime: outlives every task; stop() returns when none is left.
//
// Stopping, in order:
//   1. every live task is cancelled, again and again until none is left: one that unwinds may still have spawned
//   another
//   2. the blocking pool ends
//   3. the watchdog ends
//   4. the workers are told to stop; each ends when its queues are empty and its reactor has no poll left, so that no
//      source outlives its reactor
//   5. the threads are joined; queues, pools and reactors go
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "runtime/sched/blocking_pool.h"
#include "runtime/sched/clock.h"
#include "runtime/sched/global_queue.h"
#include "runtime/sched/idle_state.h"
#include "runtime/sched/metrics.h"
#include "runtime/sched/options.h"
#include "runtime/sched/task_header.h"
#include "runtime/sched/task_list.h"
#include "runtime/sched/tasks.h"
#include "runtime/sched/victim_walk.h"
#include "runtime/sched/watchdog.h"
#include "runtime/sched/worker.h"

namespace volt::sched {

class Scheduler {
 public:
  // `options` have a log and a resolver. Throws std::system_error if the threads or reactors cannot be had.
  Scheduler(const RuntimeOptions& options, io::Engine engine);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // A new task of the calling worker, or of nobody in particular, starts its life: listed and queued.
  void start(TaskHeader& task);
  // The same on worker `index`.
  void start_on(TaskHeader& task, std::uint32_t index);
  // A task in no list of ours (a scope lists it) starts its life.
  void start_unlisted(TaskHeader& task) noexcept;

  // Whether the task goes to its own worker whenever it can go on.
  [[nodiscard]] bool stays(const TaskHeader& task) const noexcept { return task.pinned || !stealing_; }

  // The calling thread's worker, null if it is none of ours. Not to be held across a suspension.
  [[nodiscard]] Worker* calling_worker() noexcept;

  // Makes a task runnable that belongs to the caller; `worker` is the calling one, or null.
  void queue(TaskHeader& task, Worker* worker) noexcept;
  // Makes a task runnable on another thread than the calling one: anywhere, or on its own worker if it stays there.
  void inject(TaskHeader& task) noexcept;
  // Wakes a parked worker to look for work, unless somebody looks already. False if there was nobody to wake.
  bool notify_one() noexcept;

  [[nodiscard]] std::uint32_t worker_count() const noexcept { return static_cast<std::uint32_t>(workers_.size()); }
  [[nodiscard]] Worker& worker(std::uint32_t index) noexcept { return *workers_[index]; }
  [[nodiscard]] GlobalQueue<TaskHeader>& global() noexcept { return global_; }
  [[nodiscard]] Clock& clock() noexcept { return clock_; }
  [[nodiscard]] IdleState& idle() noexcept { return idle_; }
  [[nodiscard]] const VictimWalk& victims() const noexcept { return victims_; }
  [[nodiscard]] Watchdog& watchdog() noexcept { return watchdog_; }
  [[nodiscard]] BlockingPool& blocking_pool() noexcept { return blocking_pool_; }
  [[nodiscard]] bool stealing() const noexcept { return stealing_; }
  [[nodiscard]] bool stopping() const noexcept { return stopping_.load(base::relaxed); }  // relaxed: then woken
  // What it costs to wake a parked worker: below it, a backlog is sooner done than handed out.
  [[nodiscard]] std::int64_t wake_cost_ns() const noexcept { return wake_cost_ns_; }
  [[nodiscard]] Log& log() noexcept { return *log_; }
  [[nodiscard]] const std::shared_ptr<Log>& shared_log() const noexcept { return log_; }
  [[nodiscard]] const std::shared_ptr<Resolver>& resolver() const noexcept { return resolver_; }
  [[nodiscard]] RuntimeMetrics metrics() const;
  [[nodiscard]] std::size_t live_tasks() const noexcept;
  [[nodiscard]] TaskReport tasks(std::size_t count_max) const;
  // How often workers have run a task; of those that are asleep, exactly.
  [[nodiscard]] std::uint64_t tasks_run() const noexcept;

  void stop() noexcept;

 private:
  [[nodiscard]] bool no_task_left() const noexcept;

  const std::shared_ptr<Log> log_;
  const std::shared_ptr<Resolver> resolver_;
  const bool stealing_;
  Clock clock_;
  const std::int64_t wake_cost_ns_;
  GlobalQueue<TaskHeader> global_;
  IdleState idle_;
  VictimWalk victims_;
  BlockingPool blocking_pool_;
  Watchdog watchdog_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
  TaskList outside_tasks_{kTaskIdStride};  // spawned by threads that are no workers
  base::Atomic<std::uint64_t> spawned_outside_{0};
  base::Atomic<bool> stopping_{false};
};

}  // namespace volt::sched
