// SPDX-License-Identifier: MIT

// Watchdog: detects workers that are stuck in a task, so that others can rescue their connections. A worker that is
// busy in one task must not delay its connections (head-of-line blocking).
//
// The problem. Completions of a worker's ring become visible only when its own thread enters the kernel. A handler that
// computes for 50 ms therefore delays every connection of its worker, and stealing cannot help: it moves tasks that
// were woken, not completions that no thread has collected. (With epoll any thread could collect them, but no thread
// would know of them.)
//
// The design.
//   - Each worker counts the starts and ends of its tasks in one word (Worker::progress): a store, without reading the
//     clock.
//   - The watchdog, a thread of its own, samples these words: every millisecond while a worker is stuck or was stuck a
//     moment ago, every 4 ms for ten seconds after that, otherwise every 10 ms, which is also the longest interval of
//     Go's sysmon. A word that is odd and has not changed since the last sample belongs to a worker that is stuck in
//     one task. The verdict "stuck" applies only to that value of the word, so it no longer applies when the task ends.
//   - If a stuck worker needs rescue and another worker is parked, the watchdog wakes the parked worker to search. A
//     searching worker that visits a stuck victim becomes its rescuer. If the victim computes, the rescuer interrupts
//     its thread; the signal handler only enters the kernel, so that the ring's completions are posted. The rescuer
//     then collects the completions under the reactor's lock and fires the victim's due timers. It takes the tasks in
//     the victim's LIFO slot and inbox and half of its queue, and runs them itself.
//   - A victim that sleeps in a system call is not interrupted, because the call would fail with EINTR. The watchdog
//     watches the sources of its ring with an epoll set instead (takeover.h), from which the rescuer collects. As the
//     victim may have begun to sleep since the last sample, the rescuer looks again before it interrupts.
//   - Workers that are busy with their own tasks, but not stuck, check for stuck workers once per tick. They and
//     searching workers ask any_stuck() before they look at any worker (stuck_workers.h).
//   - A stream whose task was moved arms its poll on the rescuer's reactor at its next wait (net/socket.cpp), so the
//     connections of a stuck worker move to other workers without further action.
//   - A task that is about to block announces it (block_in_place): its worker counts at once as stuck, and as stuck for
//     long. The watchdog does not report such a task as a stall.
//   - The watchdog reads the processor time of each stuck thread at each sample. A thread that has used processor time
//     computes. A thread that has not, and sleeps in the kernel, is blocked. A thread that waits for a processor does
//     neither (turn_use.h). Only the first two are charged to the task, and reported as its stall (stall_reports.h).
//     A turn that computes or is blocked counts as long for its work class (work_class.h), and blocked threads leave
//     their processors to spare workers (heavy_queue.h).
//   - A pinned task stays with its stuck worker: a rescuer collects the event that wakes the task, but puts the task
//     into that worker's inbox.
//
// While no worker runs, the watchdog sleeps without a timeout. The first worker that runs a task again wakes it. After
// kQuietNs without any progress the watchdog returns to that sleep. So an idle server uses no CPU.
//
// The watchdog also wakes parked workers that have memory to give back (trim.cpp).
//
// Rejected: letting a parked worker do the sampling, with a timeout of 1 ms for its sleep. When the machine is fully
// loaded no worker is parked and the sampling costs nothing, but when it is half loaded every park sets a kernel timer.
// A separate thread was measured to cost less, and it runs only under load.
// Rejected: sampling every millisecond, or every 4 ms, at all times. Both were measured to add processor time to every
// request of servers whose handlers do not compute.
// Rejected: a ring without DEFER_TASKRUN, from which any thread could collect; it was measured to cost far more per
// request.
//
// Threads: start() and stop() belong to the scheduler's creator; any worker may call the rest.
//
// Edges
//   G1  activity()'s exchange comes after its worker's unpark, the watchdog's exchange before its last check for parked
//       workers: the exchange that is second in the order of `asleep_` sees the other
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"
#include "runtime/sched/stall_reports.h"
#include "runtime/sched/stuck_workers.h"
#include "runtime/sched/thread_state.h"
#include "runtime/sched/turn_use.h"

namespace volt::sched {

class Scheduler;
class Worker;

class Watchdog {
 public:
  // `slots`: how many workers and spares there can be.
  Watchdog(Scheduler& scheduler, bool enabled, std::uint32_t slots)
      : scheduler_(scheduler), enabled_(enabled), stuck_(slots) {}

  void start();
  void stop() noexcept;

  // Implements Runtime::on_stall().
  void on_stall(StallReports::Observer observer) { reports_.on_stall(std::move(observer)); }

  // Called by a worker that has work to run after having slept.
  void activity() noexcept {
    if (enabled_ && asleep_.exchange(false, base::acq_rel)) wake_up();  // G1
  }

  [[nodiscard]] bool enabled() const noexcept { return enabled_; }

  // Makes may_be_stuck() return true at once. Called by the worker, whose task has announced that it blocks.
  void note_blocking(std::uint32_t worker) noexcept { stuck_.announce(worker); }

  // Makes the watchdog sample often for a while. Called by a worker that has measured a long turn, which may have been
  // too short for the watchdog to notice.
  void note_long_turn() noexcept {
    if (!long_turns_.load(base::relaxed)) long_turns_.store(true, base::relaxed);  // relaxed: a hint
  }

  // Return whether a worker, or this one, was stuck at the last sample, or has announced since that it blocks. Spares
  // have the indices after the workers.
  [[nodiscard]] bool any_stuck() const noexcept { return stuck_.any(); }
  [[nodiscard]] bool may_be_stuck(std::uint32_t worker) const noexcept { return stuck_.contains(worker); }

 private:
  // The samples of one worker: the progress word at the last sample, the time of the first sample with that value, and
  // what has been found out about that turn.
  struct Observation {
    std::uint64_t progress = 0;
    std::int64_t since_ns = 0;
    Activity activity = Activity::unknown;
    TurnUse use;
    TurnReports reports;
    bool is_found_long = false;
    bool is_taken_over = false;
    bool is_stack_requested = false;
  };

  // The findings of one sample of all workers and spares.
  struct Sample {
    bool active = false;              // a worker runs a task, or has run one since the last sample
    bool tasks_wait = false;          // a stuck worker has tasks for a rescuer
    bool help_wanted = false;         // a stuck worker has tasks, or parts of forks, which no spare takes
    std::uint32_t stuck_workers = 0;  // without spares
    std::uint32_t stuck_spares = 0;
    std::uint32_t active_threads = 0;  // workers and spares that heavy tasks wait for
  };

  void watch();
  [[nodiscard]] std::chrono::milliseconds sample_interval(std::int64_t at_ns) const noexcept;
  [[nodiscard]] bool sample(std::int64_t at_ns) noexcept;
  // Returns whether the worker is stuck.
  [[nodiscard]] bool sample_worker(std::uint32_t index, std::int64_t at_ns, Sample& found) noexcept;
  [[nodiscard]] bool grant_permits(std::uint32_t active, std::uint32_t stuck_spares) noexcept;
  void report_stalls(std::unique_lock<std::mutex>& lock);
  [[nodiscard]] bool any_frames_to_trim() const noexcept;
  void wake_for_trim() noexcept;
  void sleep_until_activity(std::unique_lock<std::mutex>& lock);
  void wake_up() noexcept;

  Scheduler& scheduler_;
  const bool enabled_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;  // guarded by mutex_
  StallReports reports_;
  // The next three members belong to the thread of the watchdog.
  std::vector<Observation> observations_;  // indexed by worker
  int frequent_samples_left_ = 0;          // samples left to take at the short interval
  std::int64_t recent_stall_until_ns_ = 0;
  // Each on lines of its own: workers write the first whenever they run a task after a sleep, and read the second in
  // each tick and each search.
  alignas(base::kNoSharingBytes) base::Atomic<bool> asleep_{false};
  alignas(base::kNoSharingBytes) StuckWorkers stuck_;
  alignas(base::kNoSharingBytes) base::Atomic<bool> long_turns_{false};
};

}  // namespace volt::sched
