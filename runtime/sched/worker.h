// SPDX-License-Identifier: MIT

// Worker: one thread of the scheduler, with its queues, its reactor and its timers. Its decisions are those of
// WorkerLoop (worker_loop.h) and SpareLoop (spare_loop.h). It searches for work in this order:
//
//   urgent tasks (once after each collection of events) -> own LIFO slot and queue
//     -> global queue (at regular intervals even before the slot and the queue) -> heavy queue
//     -> tasks of other workers -> parts of their forks -> reactor, in which the worker parks
//
// Tasks whose turns are known to be long wait in the heavy queue (heavy_queue.h), whichever thread wakes them. A worker
// takes one when nothing light waits, and at the start of a tick when it owes heavy tasks their share of its time. When
// it comes to owe them that in the middle of a tick, the tick ends after the next check of the reactor.
//
// Threads: any thread may call the members in the section "any thread"; all others belong to the worker.
//
// Only the owner puts tasks into its LIFO slot and its queues. Other threads put the tasks that they wake into the
// global queue or the inbox. So no task can get into the slot or these queues while the owner is about to park.
//
// Other threads pass a pinned task (spawn_local) to its worker through the inbox. Each worker has a separate queue for
// its pinned tasks, from which no worker steals and no rescuer takes tasks.
//
// Tasks taken from the global queue in a batch are put into the local queue, where others can steal them. Rejected: a
// private buffer for the batch: if one task of the batch is slow, the others would have to wait for it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "runtime/base/atomic.h"
#include "runtime/coro/frame_pool.h"
#include "runtime/io/reactor.h"
#include "runtime/sched/backlog_limits.h"
#include "runtime/sched/budget.h"
#include "runtime/sched/child_offers.h"
#include "runtime/sched/clock.h"
#include "runtime/sched/current.h"
#include "runtime/sched/debugger.h"
#include "runtime/sched/forks.h"
#include "runtime/sched/global_queue.h"
#include "runtime/sched/homed_sources.h"
#include "runtime/sched/inbox.h"
#include "runtime/sched/interval.h"
#include "runtime/sched/lifo_slot.h"
#include "runtime/sched/metrics.h"
#include "runtime/sched/profile_samples.h"
#include "runtime/sched/random.h"
#include "runtime/sched/run_queue.h"
#include "runtime/sched/spare_duty.h"
#include "runtime/sched/spare_loop.h"
#include "runtime/sched/stack_sample.h"
#include "runtime/sched/takeover.h"
#include "runtime/sched/task_header.h"
#include "runtime/sched/task_list.h"
#include "runtime/sched/thread_state.h"
#include "runtime/sched/timeline_ring.h"
#include "runtime/sched/timers.h"
#include "runtime/sched/turn_record.h"
#include "runtime/sched/worker_counters.h"

namespace volt::sched {

class Scheduler;

class alignas(base::kNoSharingBytes) Worker : private SpareLoop<Worker, TaskHeader> {
  friend WorkerLoop<Worker, TaskHeader>;
  friend SpareLoop<Worker, TaskHeader>;

 public:
  Worker(Scheduler& scheduler, std::uint32_t index);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // These two functions must be called on the worker's thread. open_reactor() creates the reactor; run() returns when
  // the scheduler has stopped.
  [[nodiscard]] Result<void> open_reactor(io::Engine engine);
  void run() noexcept;
  // Works as a spare until its service has ended.
  void run_as_spare() noexcept;

  using WorkerLoop::notify_one;
  using WorkerLoop::push_back;
  using WorkerLoop::push_next;

  // Makes this worker the source's home: this worker's reactor polls the descriptor and reports when it becomes ready.
  void watch(io::Source& source) noexcept;
  // Ends the source's poll in this worker's reactor. Takes ownership of a reference.
  void unwatch(io::Source& source) noexcept;

  // Announces that the running task is about to block this thread: from now on other workers treat this one as stuck
  // (watchdog.h). On true, the caller must call end_blocking() after the block. Returns false if there is no watchdog,
  // or if the task has announced its block already.
  [[nodiscard]] bool begin_blocking() noexcept;
  void end_blocking() noexcept;

  // Sets the class of the running task's work. Returns whether the task should let others run before it begins the
  // work: the work is heavy, and light tasks or other heavy ones wait.
  [[nodiscard]] bool begin_work(WorkClass work_class) noexcept;

  // Queues children that have become tasks of their own. The last one runs next.
  void queue_children(base::Chain<TaskHeader>& tasks) noexcept;

  // Starts a file operation. Returns false if the engine does not support it: the caller must use the blocking pool.
  // The operation may complete, and its frame be destroyed, before this returns.
  [[nodiscard]] bool start(io::FileOperation& operation) noexcept { return reactor_->start(operation); }

  [[nodiscard]] const Clock& clock() const noexcept { return clock_; }
  [[nodiscard]] Timers& timers() noexcept { return timers_; }
  [[nodiscard]] WorkerCounters& counters() noexcept { return counters_; }
  [[nodiscard]] TaskList& tasks() noexcept { return tasks_; }
  [[nodiscard]] Forks& forks() noexcept { return forks_; }
  [[nodiscard]] TimelineRing& timeline() noexcept { return timeline_; }
  [[nodiscard]] ProfileSamples& profile() noexcept { return profile_; }
  // Returns the time from which the task, which this worker makes runnable now, is queued: the time of the tick, but
  // for one task in kWakesPerSample the exact time. The queue delay of that task is recorded when it runs.
  [[nodiscard]] std::int64_t queued_at_ns(TaskHeader& task) noexcept {
    return --wakes_until_sample_ != 0 ? context_.tick_time_ns : sample_queue_delay(task);
  }
  static constexpr std::uint32_t kWakesPerSample = 64;
  // Returns the time at which the current tick began, or at which events were last collected in it. The time may be out
  // of date by the duration of a few tasks, and of the turn so far, which may compute for long.
  [[nodiscard]] std::int64_t tick_time_ns() const noexcept { return context_.tick_time_ns; }

  // ---- any thread ----
  [[nodiscard]] Scheduler& scheduler() const noexcept { return scheduler_; }
  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  void post(TaskHeader& task) noexcept;
  void post(io::UnwatchRequest& request) noexcept;  // takes ownership of a reference
  void wake() noexcept { reactor_->wake(); }
  // Wakes the worker if it is parked, so that it checks all its sources of work.
  void look_again() noexcept;
  // The time between two trims of the frame pool (coro/frame_pool.h).
  static constexpr std::int64_t kTrimIntervalNs = 1'000'000'000;
  // Returns whether the worker would trim its frame pool when it next parks.
  [[nodiscard]] bool has_frames_to_trim() const noexcept;
  [[nodiscard]] std::uint32_t queue_length() const noexcept { return queue_.size(); }
  // Implements volt::queued_work(). Only for this worker's thread.
  [[nodiscard]] std::chrono::nanoseconds queued_work() const noexcept;
  [[nodiscard]] std::uint32_t descriptors() const noexcept { return reactor_ != nullptr ? reactor_->armed() : 0; }
  [[nodiscard]] bool stuck() const noexcept;
  // Returns whether the worker has been stuck for so long that its descriptors should move to other workers. The limit
  // is long enough to exclude a worker that has only lost its processor to another thread for a moment.
  [[nodiscard]] bool stuck_for_long() const noexcept;
  [[nodiscard]] std::uint64_t polls() const noexcept { return counters_.polls.value(); }
  // Returns whether this is a spare that hands its streams to the workers.
  [[nodiscard]] bool leaving() const noexcept { return is_spare_ && duty_.leaving(); }
  // The duty of a spare, for the watchdog (spare_workers.h).
  [[nodiscard]] SpareDuty& duty() noexcept { return duty_; }
  [[nodiscard]] WorkerMetrics metrics() const;
  // Destroys the reactor. Called when the worker's thread has ended. Returns the number of sources whose home it was.
  [[nodiscard]] std::size_t close_reactor() noexcept;

  // The members from here to sample_stack() serve the watchdog (runtime/sched/watchdog.h). The progress word is
  // odd while the worker is in a task, and changes when the task ends.
  [[nodiscard]] std::uint64_t progress() const noexcept { return turn_.progress(); }
  [[nodiscard]] static bool in_task(std::uint64_t progress) noexcept { return TurnRecord::in_turn(progress); }
  // Returns whether the task that ran at `progress` has announced that it blocks.
  [[nodiscard]] bool blocks(std::uint64_t progress) const noexcept {
    return blocking_progress_.load(base::relaxed) == progress;  // relaxed: a hint
  }
  using Turn = TurnRecord::Turn;
  // Returns the turn during which the progress word has the value `at_progress`, which must be odd. Returns nothing if
  // that turn has ended.
  [[nodiscard]] std::optional<Turn> turn(std::uint64_t at_progress) const noexcept { return turn_.turn(at_progress); }
  // The kernel's id of the worker's thread; 0 before the thread runs.
  [[nodiscard]] pid_t thread() const noexcept { return thread_.load(base::relaxed); }  // relaxed: only a number
  void mark_stuck(std::uint64_t progress, std::int64_t lasted_ns, Activity activity) noexcept;
  void count_stall() noexcept { stalls_.add(); }
  // Makes the thread take a sample of its stack in the turn with this progress word. The sample is complete a moment
  // later. Returns false if the thread does not compute, or cannot be interrupted.
  [[nodiscard]] bool request_stack(std::uint64_t progress) noexcept;
  [[nodiscard]] std::span<const void* const> stack(std::uint64_t progress) const noexcept {
    return stack_sample_.get(progress);
  }
  // Returns whether the sources of this stuck worker have to be watched by others. `activity` is what it does.
  [[nodiscard]] bool needs_takeover(Activity activity) const noexcept;
  void begin_takeover() noexcept { takeover_.begin(homed_); }
  [[nodiscard]] Takeover& takeover() noexcept { return takeover_; }
  using WorkerLoop::has_tasks_to_rescue;
  // Returns whether an idle worker would find tasks, or parts of forks, of this worker to take.
  [[nodiscard]] bool needs_rescue() const noexcept { return has_tasks_to_rescue() || forks_.on_offer(); }
  // Called on this worker's thread, inside a signal handler.
  void flush_from_signal() noexcept;
  void sample_for_profile(const void* signal_context) noexcept;
  void sample_stack(const void* signal_context) noexcept { stack_sample_.take(progress(), signal_context); }

  using WorkerLoop::worth_stealing_from;
  // Returns whether an idle worker should steal parts of forks, or children on offer, from this one.
  [[nodiscard]] bool worth_forking_for() const noexcept;

  // Called by the worker's thread when it starts.
  void set_thread(pid_t thread) noexcept {
    thread_.store(thread, base::relaxed);  // relaxed: as in thread()
    stack_sample_.set_thread();
  }

 private:
  // ---- what the loop asks for (worker_loop.h, spare_loop.h) ----
  void collect_events() noexcept;
  void take_io_turn() noexcept;
  void take_io_turn_if_due(std::chrono::nanoseconds took) noexcept;
  [[nodiscard]] bool drained() const noexcept;
  [[nodiscard]] std::uint32_t polls_before_io() const noexcept;
  void end_tick(std::uint32_t polls, std::int64_t began_ns, bool ran_out) noexcept;
  void adopt(std::span<TaskHeader* const> tasks) noexcept;
  [[gnu::noinline]] void do_rare_duties(TaskHeader& task) noexcept;
  void run(TaskHeader& task) noexcept;
  [[nodiscard]] bool goes_to_heavy(const TaskHeader& task) const noexcept;
  [[nodiscard]] bool heavy_is_due() const noexcept;
  void note_due_turn() noexcept;
  [[nodiscard]] bool may_take_heavy() noexcept;
  void give_heavy_permit_back() noexcept;
  [[nodiscard]] bool before_park() noexcept;
  void sleep() noexcept;
  void poll_without_sleep() noexcept;
  void await_events(std::int64_t until_ns) noexcept;
  [[nodiscard]] bool clock_moved() const noexcept { return clock_.round() != seen_round_; }
  [[nodiscard]] bool fork_for(Worker& forker) noexcept;
  [[nodiscard]] bool stay_for_forks() noexcept;
  [[nodiscard]] bool has_events_to_rescue() const noexcept;
  [[nodiscard]] bool has_due_timers() const noexcept { return timers_.next_wake_ns() <= clock_.now_ns(); }
  // Takes the events and the timers of a stuck worker. Returns how many tasks they have woken.
  [[nodiscard]] std::uint64_t rescue_events(Worker& victim) noexcept;
  [[nodiscard]] bool send_streams_home() noexcept;
  [[nodiscard]] bool may_end_spare(std::int64_t left_at_ns) const noexcept;
  void sleep_as_spare(bool serves, std::int64_t left_at_ns, std::int64_t send_home_at_ns) noexcept;

  // ---- the rest ----
  void poll(base::Chain<io::Completion>& woken) noexcept;
  void schedule(base::Chain<io::Completion>& woken) noexcept;
  static void deliver(io::HangupNotice& notice) noexcept;
  [[nodiscard]] std::int64_t sample_queue_delay(TaskHeader& task) noexcept;
  void note_queue_delay(TaskHeader& task) noexcept;
  void prepare_child(TaskHeader& task) noexcept;
  [[gnu::noinline]] void queue_offered_children() noexcept;
  [[nodiscard]] bool take_children_of(Worker& parent) noexcept;
  [[nodiscard]] std::uint64_t rescue_children(Worker& victim) noexcept;
  void begin_run(TaskHeader& task) noexcept;
  void end_run() noexcept;
  void measure_turn() noexcept;
  void judge_turn() noexcept;
  [[gnu::noinline]] void look_at_timers() noexcept;
  [[nodiscard]] bool is_measured(const TaskHeader& task) const noexcept;
  void complete(TaskHeader& task) noexcept;
  void interrupt(Worker& victim) noexcept;
  // Returns whether a signal would make this worker's thread flush its ring and do no harm.
  [[nodiscard]] bool may_interrupt() const noexcept;
  [[nodiscard]] std::int64_t sleep_until_ns() noexcept;
  [[nodiscard]] bool trim_frames() noexcept;

  Scheduler& scheduler_;
  const Clock& clock_;
  const std::uint32_t index_;
  const bool is_spare_;
  const bool has_thieves_;  // other workers may steal from it
  base::Atomic<pid_t> thread_{0};
  std::unique_ptr<io::Reactor> reactor_;
  bool hides_events_ = false;  // its events are visible only to its own thread
  coro::FramePool frames_;
  Context context_;
  Random random_;
  GlobalInterval interval_;
  base::Chain<io::Completion> came_while_parked_;  // scheduled once the time is known
  base::Chain<TaskHeader> pinned_;                 // queue of the tasks that run only here
  HomedSources homed_;                             // the sources whose home this is
  std::uint64_t seen_round_ = 0;                   // last seen round of a manual clock
  std::int64_t planned_wake_ns_ = 0;               // planned end of the last sleep
  std::int64_t last_timed_wake_ns_ = 0;            // when a sleep last ended at its planned time, and timers fired
  std::uint64_t fired_before_sleep_ = 0;           // number of timers that had fired when the last sleep began
  std::int64_t trimmed_at_ns_ = 0;                 // when the last trim of frames_ ended
  bool trims_ = false;                             // a trim of frames_ has begun
  std::int64_t turn_began_ns_ = 0;                 // when the running turn began; 0: the turn is not measured
  ThreadUse use_before_turn_;                      // valid if the turn is measured
  std::int64_t heavy_turn_ns_ = 0;                 // duration of the last heavy turn
  std::int64_t light_time_ns_ = 0;                 // time in ticks since then, up to tick_time_ns
  bool has_heavy_permit_ = false;                  // it is a spare, and may have a heavy task in this tick
  bool looks_at_timers_ = false;                   // the average turn is so long that timers are looked at after each
  bool measures_turns_ = false;                    // the average turn is so long that measuring each costs nothing
  std::uint32_t wakes_until_sample_ = 1;           // wakes until one whose queue delay is measured
  TimelineRing timeline_;
  bool runs_stolen_part_ = false;         // context_.task is that of a forker, which may end before the part does
  std::uint32_t fork_searches_left_ = 0;  // searches for forks before it parks; not 0 if its last part of a fork paid

  // Read by other threads.
  alignas(base::kNoSharingBytes) LifoSlot<TaskHeader> lifo_;
  TurnRecord turn_;
  base::Atomic<std::uint64_t> blocking_progress_{0};  // progress() of a task that announced that it blocks
  BacklogLimits limits_;                              // lengths of queue_ from which on thefts and wake-ups pay
  RunQueue<TaskHeader> queue_;
  GlobalQueue<TaskHeader> urgent_;  // the urgent tasks that it has woken; a rescuer takes them
  Forks forks_;
  ChildOffers child_offers_;

  // Written by other threads.
  alignas(base::kNoSharingBytes) Inbox inbox_;
  // The value of progress() that the watchdog found unchanged. Away from the inbox, because each search reads it while
  // this worker is stuck.
  alignas(base::kNoSharingBytes) base::Atomic<std::uint64_t> stuck_progress_{0};
  base::Atomic<std::int64_t> stuck_ns_{0};  // how long the watchdog has seen that value
  base::Atomic<Activity> stuck_activity_{Activity::unknown};
  SleepProbe sleep_probe_;                                // of its thread, unless it is a spare
  base::Atomic<std::uint32_t> unanswered_interrupts_{0};  // since the last one that had an effect
  base::Counter stalls_;                                  // written by the watchdog
  base::Atomic<bool> never_answers_{false};               // the program prevents the interrupts
  base::Atomic<bool> answers_{false};                     // its thread is in the handler, which blocks the signal
  StackSample stack_sample_;
  ProfileSamples profile_;
  Takeover takeover_;
  SpareDuty duty_;
  Timers timers_;
  TaskList tasks_;
  const DebuggerEntry debugger_entry_{tasks_, &context_, &thread_};
  WorkerCounters counters_;
};

extern template class WorkerLoop<Worker, TaskHeader>;
extern template class SpareLoop<Worker, TaskHeader>;

}  // namespace volt::sched
