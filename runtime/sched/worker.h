// SPDX-License-Identifier: MIT

// Worker: one thread of the scheduler, with everything it owns.
//
//   find work: own LIFO slot and queue -> global queue (first at regular intervals) -> steal tasks, then parts of forks
//              -> reactor -> park
//
// Threads: any thread may call the members in the section "any thread"; all others belong to the worker.
//
// Only its owner writes a LIFO slot or pushes to a local queue; wakes from other threads are put into the global queue
// or the inbox. This rule excludes by construction the race in which a task is handed to a worker that is about to
// park.
//
// A pinned task (spawn_local) reaches its worker only through the inbox, and is then in a queue of its own, from which
// no worker steals and no rescuer takes tasks.
//
// Tasks taken from the global queue in a batch are put into the local queue, where others can steal them. Rejected: a
// private buffer for the batch, in which up to 32 tasks would wait for one slow task.
//
// Edges
//   W1  a task is published in the LIFO slot  ->  the thread that takes it out
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>

#include "runtime/base/atomic.h"
#include "runtime/coro/frame_pool.h"
#include "runtime/io/reactor.h"
#include "runtime/sched/budget.h"
#include "runtime/sched/clock.h"
#include "runtime/sched/current.h"
#include "runtime/sched/forks.h"
#include "runtime/sched/inbox.h"
#include "runtime/sched/interval.h"
#include "runtime/sched/local_queue.h"
#include "runtime/sched/metrics.h"
#include "runtime/sched/random.h"
#include "runtime/sched/task_header.h"
#include "runtime/sched/task_list.h"
#include "runtime/sched/timers.h"
#include "runtime/sched/worker_counters.h"

namespace volt::sched {

class Scheduler;

class alignas(base::kNoSharingBytes) Worker {
 public:
  Worker(Scheduler& scheduler, std::uint32_t index);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Run on the worker's thread: open_reactor() creates the reactor, run() works until the scheduler stops.
  [[nodiscard]] Result<void> open_reactor(io::Engine engine);
  void run() noexcept;

  // Makes the task the worker's next one. The task that was in the LIFO slot moves to the queue.
  void push_next(TaskHeader& task) noexcept;
  // Makes the task the last of its queue.
  void push_back(TaskHeader& task) noexcept;

  // Makes this worker the source's home: this worker's reactor polls the descriptor and reports when it becomes ready.
  void watch(io::Source& source) noexcept;
  // Ends the source's poll in this worker's reactor. Takes ownership of a reference.
  void unwatch(io::Source& source) noexcept;

  // Announces that the running task is about to block this thread: from now on other workers act as if this one were
  // stuck (watchdog.h). Returns false if no other worker can do that, or the task has announced it already; otherwise
  // the caller must call end_blocking() later.
  [[nodiscard]] bool begin_blocking() noexcept;
  void end_blocking() noexcept;

  // Starts a file operation. Returns false if the engine does not support it: the caller must use the blocking pool.
  // The operation may complete, and its frame be destroyed, before this returns.
  [[nodiscard]] bool start(io::FileOperation& operation) noexcept { return reactor_->start(operation); }

  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  [[nodiscard]] Timers& timers() noexcept { return timers_; }
  [[nodiscard]] WorkerCounters& counters() noexcept { return counters_; }
  [[nodiscard]] TaskList& tasks() noexcept { return tasks_; }
  [[nodiscard]] Forks& forks() noexcept { return forks_; }
  // Wakes a parked worker, if there is one and no worker searches.
  void notify_one() noexcept;
  // Returns the time at which the current tick began, or at which events were last handled in it. Precise enough for
  // deadlines of milliseconds and more.
  [[nodiscard]] std::int64_t tick_time_ns() const noexcept { return context_.tick_time_ns; }

  // ---- any thread ----
  [[nodiscard]] Scheduler& scheduler() const noexcept { return scheduler_; }
  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  void post(TaskHeader& task) noexcept;
  void post(io::UnwatchRequest& request) noexcept;  // takes ownership of a reference
  void wake() noexcept { reactor_->wake(); }
  // Wakes the worker if it is parked, so that it checks all its sources of work.
  void look_again() noexcept;
  [[nodiscard]] std::uint32_t queue_length() const noexcept { return queue_.size(); }
  [[nodiscard]] std::uint32_t descriptors() const noexcept { return reactor_ != nullptr ? reactor_->armed() : 0; }
  [[nodiscard]] bool stuck() const noexcept;
  // Returns whether the worker has been stuck for so long that moving its descriptors pays. A worker that only lost its
  // processor to another thread for a moment has not.
  [[nodiscard]] bool stuck_for_long() const noexcept;
  [[nodiscard]] std::uint64_t polls() const noexcept { return counters_.polls.value(); }
  [[nodiscard]] WorkerMetrics metrics() const;

  // For the watchdog (runtime/sched/watchdog.h): the progress word, and the verdict on it.
  [[nodiscard]] std::uint64_t progress() const noexcept { return progress_.load(base::relaxed); }  // relaxed: a hint
  [[nodiscard]] static bool in_task(std::uint64_t progress) noexcept { return (progress & 1) != 0; }
  // Returns whether the task in which `progress` was read has announced that it blocks.
  [[nodiscard]] bool blocks(std::uint64_t progress) const noexcept {
    return blocking_progress_.load(base::relaxed) == progress;  // relaxed: a hint
  }
  // Returns the id of the task that the worker runs, or ran last.
  [[nodiscard]] TaskId task_id() const noexcept { return task_id_.load(base::relaxed); }  // relaxed: a report
  void mark_stuck(std::uint64_t progress, std::int64_t lasted_ns) noexcept;
  // Returns whether a rescuer would find work here.
  [[nodiscard]] bool needs_rescue() const noexcept;
  // Called on this worker's thread, inside a signal handler.
  void flush_from_signal() noexcept { reactor_->flush_from_signal(); }

  // Returns whether an idle worker should steal here: the backlog outweighs the cache misses.
  [[nodiscard]] bool worth_stealing_from() const noexcept;
  // Returns whether an idle worker should steal the parts of forks that this worker offers.
  [[nodiscard]] bool worth_forking_for() const noexcept;

  void set_thread(pid_t thread) noexcept { thread_ = thread; }

 private:
  void collect_events() noexcept;
  void take_io_turn() noexcept;
  void schedule(base::Chain<io::Completion>& woken) noexcept;
  static void deliver(io::HangupNotice& notice) noexcept;
  void drain_inbox() noexcept;
  std::uint32_t run_tick() noexcept;
  void begin_run(TaskHeader& task) noexcept;
  void end_run() noexcept;
  void run(TaskHeader& task) noexcept;
  void complete(TaskHeader& task) noexcept;

  [[nodiscard]] TaskHeader* next_task() noexcept;
  [[nodiscard]] TaskHeader* take_lifo() noexcept;
  [[nodiscard]] TaskHeader* take_queued() noexcept;
  [[nodiscard]] TaskHeader* take_from_global() noexcept;
  [[nodiscard]] bool find_elsewhere() noexcept;
  [[nodiscard]] bool steal() noexcept;
  [[nodiscard]] bool steal_from(Worker& victim) noexcept;
  [[nodiscard]] bool rescue(Worker& victim) noexcept;
  [[nodiscard]] bool fork_for(Worker& forker) noexcept;
  [[nodiscard]] bool stay_for_forks() noexcept;
  void help_stuck_workers() noexcept;
  void begin_work() noexcept;
  void end_search_with_work() noexcept;
  void notify_if_worth_it() noexcept;
  void park() noexcept;
  [[nodiscard]] std::int64_t sleep_until_ns() noexcept;
  [[nodiscard]] bool may_not_sleep(bool searched) const noexcept;
  [[nodiscard]] bool drained() const noexcept;

  Scheduler& scheduler_;
  const Clock& clock_;
  const std::uint32_t index_;
  pid_t thread_ = 0;
  std::unique_ptr<io::Reactor> reactor_;
  coro::FramePool frames_;
  Context context_;
  Random random_;
  GlobalInterval interval_;
  base::Chain<io::Completion> came_while_parked_;  // scheduled once the time is known
  base::Chain<TaskHeader> pinned_;                 // queue of the tasks that run only here
  std::uint64_t seen_round_ = 0;                   // last seen round of a manual clock
  std::int64_t planned_wake_ns_ = 0;               // planned end of the last sleep
  std::int64_t last_timed_wake_ns_ = 0;            // when a sleep last ended at its planned time
  std::uint32_t polls_since_io_ = 0;
  std::uint32_t polls_since_global_ = 0;
  std::uint32_t polls_between_global_ = GlobalInterval::kTicksMin;  // cached interval_.ticks()
  // Consecutive polls from the LIFO slot; bounded by kLifoPollsMax.
  std::uint32_t lifo_polls_ = 0;
  std::uint32_t backlog_worth_a_wake_ = 1;  // length of the queue from which on waking a worker pays
  bool took_pinned_ = false;                // whether the last task came from pinned_
  std::uint32_t fork_searches_left_ = 0;    // searches for forks before it parks; not 0 if its last part of a fork paid
  bool searching_ = false;                  // has the duty to search (IdleState)
  bool slept_ = false;                      // has slept, and has run nothing since
  bool woken_to_search_ = false;            // woken to search since the last park; counts wakes that found no work

  // Read by other threads.
  alignas(base::kNoSharingBytes) base::Atomic<TaskHeader*> lifo_{nullptr};
  base::Atomic<std::uint64_t> progress_{0};           // odd while in a task
  base::Atomic<std::uint64_t> blocking_progress_{0};  // the value of progress_ in a task that announced that it blocks
  base::Atomic<TaskId> task_id_{0};
  base::Atomic<std::int64_t> average_task_ns_{0};  // average of the last ticks
  LocalQueue<TaskHeader> queue_;
  Forks forks_;

  // Written by other threads.
  alignas(base::kNoSharingBytes) Inbox inbox_;
  base::Atomic<std::uint64_t> stuck_progress_{0};  // the value of progress_ that the watchdog found unchanged
  base::Atomic<std::int64_t> stuck_ns_{0};         // how long the watchdog has seen that value
  base::Counter stalls_;                           // written by the watchdog
  Timers timers_;
  TaskList tasks_;
  WorkerCounters counters_;
};

}  // namespace volt::sched
