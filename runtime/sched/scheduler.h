// SPDX-License-Identifier: MIT

// Scheduler: the workers and the state that they share.
//
// Threads: any thread may call every member, with two exceptions. stop() belongs to the scheduler's creator, and
// start_unlisted() to its workers.
// Lifetime: outlives every task; stop() returns when no task is left.
//
// Stopping, in order:
//   1. Every live task is cancelled, repeatedly until none is left, because a task that unwinds may still have spawned
//      another task.
//   2. The blocking pool ends.
//   3. The watchdog ends.
//   4. The workers are notified to stop. Each worker ends when its queues are empty and its reactor has no armed poll,
//      so that no source outlives its reactor.
//   5. The threads are joined; queues, pools and reactors are destroyed.
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
#include "runtime/sched/spare_workers.h"
#include "runtime/sched/task_header.h"
#include "runtime/sched/task_list.h"
#include "runtime/sched/tasks.h"
#include "runtime/sched/victim_walk.h"
#include "runtime/sched/watchdog.h"
#include "runtime/sched/worker.h"

namespace volt::sched {

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
  // Wakes a parked worker to search for work, unless a worker searches already. Returns false if no worker was woken.
  bool notify_one() noexcept;

  [[nodiscard]] std::uint32_t worker_count() const noexcept { return worker_count_; }
  // Returns how many workers there can be, with spares.
  [[nodiscard]] std::uint32_t worker_slots() const noexcept { return worker_count_ + spares_.max(); }
  // Returns the worker with that index. Spares have the indices from worker_count() on, if they exist.
  [[nodiscard]] Worker& worker(std::uint32_t index) const noexcept {
    return index < worker_count_ ? *workers_[index] : spares_.worker(index - worker_count_);
  }
  [[nodiscard]] GlobalQueue<TaskHeader>& global() noexcept { return global_; }
  [[nodiscard]] Clock& clock() noexcept { return clock_; }
  [[nodiscard]] IdleState& idle() noexcept { return idle_; }
  [[nodiscard]] const VictimWalk& victims() const noexcept { return victims_; }
  [[nodiscard]] Watchdog& watchdog() noexcept { return watchdog_; }
  [[nodiscard]] SpareWorkers& spares() noexcept { return spares_; }
  [[nodiscard]] BlockingPool& blocking_pool() noexcept { return blocking_pool_; }
  [[nodiscard]] bool stealing() const noexcept { return stealing_; }
  [[nodiscard]] bool stopping() const noexcept { return stopping_.load(base::relaxed); }  // relaxed: a wake follows
  // Returns the estimated cost of waking a parked worker. A worker finishes a backlog that takes less time than this
  // sooner than another worker could take it over.
  [[nodiscard]] std::int64_t wake_cost_ns() const noexcept { return wake_cost_ns_; }
  [[nodiscard]] Log& log() noexcept { return *log_; }
  [[nodiscard]] const std::shared_ptr<Log>& shared_log() const noexcept { return log_; }
  [[nodiscard]] const std::shared_ptr<Resolver>& resolver() const noexcept { return resolver_; }
  [[nodiscard]] RuntimeMetrics metrics() const;
  [[nodiscard]] std::size_t live_tasks() const noexcept;
  [[nodiscard]] TaskReport tasks(std::size_t count_max) const;
  // Returns the number of times that workers have resumed a task. A worker that is parked has published its exact
  // number.
  [[nodiscard]] std::uint64_t tasks_run() const noexcept;

  void stop() noexcept;

 private:
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
  IdleState idle_;
  VictimWalk victims_;
  BlockingPool blocking_pool_;
  Watchdog watchdog_;
  std::vector<std::unique_ptr<Worker>> workers_;
  SpareWorkers spares_;
  std::vector<std::thread> threads_;
  TaskList outside_tasks_{kTaskIdStride};  // spawned by threads that are not workers
  base::Atomic<std::uint64_t> spawned_outside_{0};
  base::Atomic<bool> stopping_{false};
};

}  // namespace volt::sched
