// Worker: one thread of the scheduler, with everything it owns.
//
//   find work: own LIFO slot and queue -> global queue (first every so often) -> steal tasks, then parts of forks
//              -> reactor -> park
//
// Threads: the section "any thread" may be called from anywhere; all else is the worker's own.
//
// Only its owner writes a LIFO slot or pushes to a local queue; wakes from elsewhere go to the global queue or the
// inbox. That removes by construction the race of a task slipped to a worker that is about to park.
//
// A pinned task (spawn_local) has no other way to its worker than the inbox, and is then in a queue of its own, where
// nobody steals and no rescuer looks.
//
// Tasks taken from the global queue in a batch go into the local queue, where others can steal them. Rejected: a
// private buffer for the batch, which hides up to 32 tasks behind whichever of them is slow.
//
// Edges
//   W1  a task is published in the LIFO slot  ->  whoever takes it out
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

  // The worker's thread: creates the reactor, then works until the scheduler stops.
  [[nodiscard]] Result<void> open_reactor(io::Engine engine);
  void run() noexcept;

  // The task becomes this worker's next, its predecessor in the LIFO slot goes to the queue.
  void push_next(TaskHeader& task) noexcept;
  // The task becomes the last of its queue.
  void push_back(TaskHeader& task) noexcept;

  // Makes this the source's home: its edges come to this worker's reactor.
  void watch(io::Source& source) noexcept;
  // Ends that; takes over a reference.
  void unwatch(io::Source& source) noexcept;

  // The task that runs is about to block this thread: from now on others take over as if it were stuck (watchdog.h).
  // False if nobody can, or the task has said so already; else end_blocking() follows.
  [[nodiscard]] bool begin_blocking() noexcept;
  void end_blocking() noexcept;

  // Begins a file operation; false: on a thread of the blocking pool, then. It may be over, and its frame gone, when
  // this returns.
  [[nodiscard]] bool start(io::FileOperation& operation) noexcept { return reactor_->start(operation); }

  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  [[nodiscard]] Timers& timers() noexcept { return timers_; }
  [[nodiscard]] WorkerCounters& counters() noexcept { return counters_; }
  [[nodiscard]] TaskList& tasks() noexcept { return tasks_; }
  [[nodiscard]] Forks& forks() noexcept { return forks_; }
  // Wakes a parked worker, if there is one and nobody searches.
  void notify_one() noexcept;
  // The time at which the current tick began, or events last had their turn in it: good enough for deadlines of milliseconds and up.
  [[nodiscard]] std::int64_t tick_time_ns() const noexcept { return tick_time_ns_; }
  // How long the task that runs waited in queues before this turn.
  [[nodiscard]] std::int64_t queued_for_ns() const noexcept { return queued_for_ns_; }
  // Since when there has always been another task to run.
  [[nodiscard]] std::int64_t idle_at_ns() const noexcept { return idle_at_ns_; }

  // Any thread.
  [[nodiscard]] Scheduler& scheduler() const noexcept { return scheduler_; }
  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  void post(TaskHeader& task) noexcept;
  void post(io::UnwatchRequest& request) noexcept;  // takes over a reference
  void wake() noexcept { reactor_->wake(); }
  // Wakes it if it is parked, so that it looks at all that can make work for it.
  void look_again() noexcept;
  [[nodiscard]] std::uint32_t queue_length() const noexcept { return queue_.size(); }
  [[nodiscard]] std::uint32_t descriptors() const noexcept { return reactor_ != nullptr ? reactor_->armed() : 0; }
  [[nodiscard]] bool stuck() const noexcept;
  // Stuck for so long that it is worth moving its descriptors: not only because the kernel gave its processor to another
  // thread for a moment.
  [[nodiscard]] bool stuck_for_long() const noexcept;
  [[nodiscard]] std::uint64_t polls() const noexcept { return counters_.polls.value(); }
  [[nodiscard]] WorkerMetrics metrics() const;

  // The watchdog's (runtime/sched/watchdog.h): a look at the progress word, and the verdict.
  [[nodiscard]] std::uint64_t progress() const noexcept { return progress_.load(base::relaxed); }  // relaxed: a hint
  [[nodiscard]] static bool in_task(std::uint64_t progress) noexcept { return (progress & 1) != 0; }
  // Whether the task that it was in by then has said that it blocks.
  [[nodiscard]] bool blocks(std::uint64_t progress) const noexcept {
    return blocking_progress_.load(base::relaxed) == progress;  // relaxed: a hint
  }
  // Of the task that it runs, or ran last.
  [[nodiscard]] TaskId task_id() const noexcept { return task_id_.load(base::relaxed); }  // relaxed: a report
  void mark_stuck(std::uint64_t progress, std::int64_t lasted_ns) noexcept;
  // Whether a rescuer would find anything here.
  [[nodiscard]] bool needs_rescue() const noexcept;
  // On this worker's thread, inside a signal handler.
  void flush_from_signal() noexcept { reactor_->flush_from_signal(); }

  // Whether an idle worker should steal here: a backlog that outweighs the cache misses, or an owner that is stuck.
  [[nodiscard]] bool worth_stealing_from() const noexcept;
  // The same of the parts of forks that it offers.
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
  base::Chain<io::Completion> came_while_parked_;  // to be scheduled once the time is known
  base::Chain<TaskHeader> pinned_;                 // the queue of those that run nowhere else
  std::int64_t tick_time_ns_ = 0;
  std::int64_t queued_for_ns_ = 0;       // of the task that runs
  std::int64_t idle_at_ns_ = 0;          // when there was last nothing to run
  std::uint64_t seen_round_ = 0;         // of a manual clock
  std::int64_t planned_wake_ns_ = 0;     // when the last sleep was to end
  std::int64_t last_timed_wake_ns_ = 0;  // when a sleep last ended by that
  std::uint32_t polls_since_io_ = 0;
  std::uint32_t polls_since_global_ = 0;
  std::uint32_t polls_between_global_ = GlobalInterval::kTicksMin;  // as interval_ has it
  std::uint32_t lifo_polls_ = 0;                                    // in a row; bounded by kLifoPollsMax
  std::uint32_t backlog_worth_a_wake_ = 1;  // tasks in the queue, from which on waking somebody pays
  bool took_pinned_ = false;                // by the last look into both queues
  std::uint32_t looks_for_forks_ = 0;       // left before it parks: its last part of a fork was worth it
  bool searching_ = false;                  // holds the search duty (IdleState)
  bool slept_ = false;                      // and has run nothing since
  bool woken_to_search_ = false;            // since the last park: to count wakes that found nothing

  // Read by others.
  alignas(base::kNoSharingBytes) base::Atomic<TaskHeader*> lifo_{nullptr};
  base::Atomic<std::uint64_t> progress_{0};           // odd while in a task
  base::Atomic<std::uint64_t> blocking_progress_{0};  // the value of progress_ in a task that said that it blocks
  base::Atomic<TaskId> task_id_{0};
  base::Atomic<std::int64_t> average_task_ns_{0};  // of the last ticks
  LocalQueue<TaskHeader> queue_;
  Forks forks_;

  // Written by others.
  alignas(base::kNoSharingBytes) Inbox inbox_;
  base::Atomic<std::uint64_t> stuck_progress_{0};  // the value of progress_ that the watchdog found unchanged
  base::Atomic<std::int64_t> stuck_ns_{0};         // and for how long it was seen so
  Counter stalls_;                                 // written by the watchdog
  Timers timers_;
  TaskList tasks_;
  WorkerCounters counters_;
};

}  // namespace volt::sched
