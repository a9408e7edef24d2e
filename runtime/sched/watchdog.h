// Rescue: a worker that is busy in one task must not delay its connections.
//
// The problem. Completions of a worker's ring become visible only when its own thread enters the kernel. A handler that
// computes for 50 ms therefore holds back every connection of its worker, and stealing cannot help: it moves tasks that
// were woken, not completions that nobody has collected. (With epoll any thread could collect, but nobody would know.)
//
// The design.
//   - Each worker counts the starts and ends of its tasks in one word (Worker::progress): a store, no clock.
//   - The watchdog, a thread of its own, looks at these words: every millisecond while a worker is stuck or one was
//     just now, every 4 ms for ten seconds after that, else every 10 ms, as Go's sysmon at its rarest. One that is odd
//     and has not changed since the last look belongs to a worker stuck in one task; the verdict is "stuck at this
//     value", so it is void the moment the task ends.
//   - If a stuck worker has something to rescue and another worker is parked, the watchdog wakes that one to search. A
//     worker that searches treats a stuck victim specially: it interrupts the victim's thread, whose signal handler
//     does nothing but enter the kernel so that the ring's completions are posted; then it collects them under the
//     reactor's lock, fires the victim's due timers, takes its LIFO slot, its queue and its inbox, and runs all that
//     itself.
//   - Workers that are busy with their own tasks, but not stuck, look for stuck ones once a tick (any_stuck()).
//   - A stream whose task was moved arms its poll on the rescuer's reactor at its next wait (net/socket.cpp), so a
//     stuck worker's connections drain away from it by themselves.
//   - A task that knows that it will block says so (block_in_place): its worker counts as stuck at once, and for long.
//     That is no stall, and nobody is told.
//   - A pinned task stays behind a stuck worker: what wakes it is collected, and it goes into that worker's inbox.
//
// The watchdog sleeps without a timeout while no worker runs. The first worker that unparks wakes it; it goes back to
// sleep after kQuietNs without any progress. So an idle server uses no CPU.
//
// Rejected: letting a parked worker keep watch in a park of 1 ms, which costs nothing when the machine is loaded but a
// timer reprogrammed at every park when it is half loaded (7 to 17 us each in a virtual machine; RUNTIME_NOTES 2.1
// (4)). One thread that wakes 100 times a second costs a quarter of a percent of one processor, and only under load.
// Rejected: a look every millisecond at all times, 22 us each: 28 us of processor for each of 600 TLS handshakes a
// second; or every 4 ms: 2 of 12 us for each of 3,840 requests a second of which none computes. Rejected: ring without
// DEFER_TASKRUN, which any thread could collect from; it costs four times as much a request.
//
// Threads: start() and stop() belong to the scheduler's creator; the rest may be called from any worker.
//
// Edges
//   G1  activity()'s exchange comes after its worker's unpark, the watchdog's exchange before its last look at who is
//       parked: whichever is second in the order of `asleep_` sees the other
//   W1  worker.h : a task in the LIFO slot is taken with what was written into it
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/base/atomic.h"
#include "runtime/sched/tasks.h"

namespace volt::sched {

class Scheduler;

class Watchdog {
 public:
  Watchdog(Scheduler& scheduler, bool enabled) noexcept : scheduler_(scheduler), enabled_(enabled) {}

  void start();
  void stop() noexcept;

  // Runtime::on_stall(). Any thread.
  void on_stall(std::function<void(const Stall&)> observer);

  // A worker has something to run after having slept.
  void activity() noexcept {
    if (enabled_ && asleep_.exchange(false, base::acq_rel)) wake_up();  // G1
  }

  [[nodiscard]] bool enabled() const noexcept { return enabled_; }

  // A worker's task has said that it blocks.
  void note_blocking() noexcept { any_stuck_.store(true, base::relaxed); }  // relaxed: a hint

  // Whether some worker was stuck at the last look.
  [[nodiscard]] bool any_stuck() const noexcept { return any_stuck_.load(base::relaxed); }  // relaxed: a hint

 private:
  // A worker's word as it was at the last look, the first look at which it was so, and how often a stall was reported.
  struct Observation {
    std::uint64_t progress = 0;
    std::int64_t since_ns = 0;
    int reports = 0;
  };

  void watch();
  [[nodiscard]] std::chrono::milliseconds sample_interval(std::int64_t at_ns) const noexcept;
  [[nodiscard]] bool sample(std::int64_t at_ns) noexcept;
  void report(std::uint32_t worker, std::int64_t lasted_ns);
  void sleep_until_activity(std::unique_lock<std::mutex>& lock);
  void wake_up() noexcept;

  Scheduler& scheduler_;
  const bool enabled_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;                       // under mutex_
  std::function<void(const Stall&)> on_stall_;  // under mutex_
  // The watchdog's own:
  std::vector<Observation> observations_;  // by worker
  int frequent_samples_left_ = 0;          // looks that are to come soon
  std::int64_t recent_stall_until_ns_ = 0;
  base::Atomic<bool> asleep_{false};
  base::Atomic<bool> any_stuck_{false};
};

// Makes a worker's thread run Worker::flush_from_signal, soon. Any thread. By the kernel's number: the thread may have
// ended meanwhile, and a pthread_t must not be used then.
void interrupt(pid_t worker_thread) noexcept;

}  // namespace volt::sched
