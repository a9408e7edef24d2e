// SPDX-License-Identifier: MIT

// Threads: the threads of a simulation: the driver, which controls the server, and those that the runtime starts, such
// as workers, spare workers and the watchdog. They are real threads that take turns: only one runs at a time, until it
// waits, or until chance gives the turn to another one at a system call. So a run is as deterministic as a single
// thread, although the code under test is unmodified.
//
// Virtual time passes while a thread uses a processor, and jumps to the next event when all threads wait. A thread that
// computes waits as well, for its computation to end, but counts as one that uses a processor. There are as many
// processors as threads; a thread can lose its processor for a while by chance.
//
// A signal reaches a thread when it next gets the turn. It ends a computation's wait, and the sleep of a thread in a
// system call, which then fails with EINTR.
//
// Threads: the thread whose turn it is, except begin(). Lifetime: must outlive the threads.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "tests/simulation/chance.h"
#include "tests/simulation/timeline.h"

namespace volt::simulation {

class Threads {
 public:
  enum class Doing {
    runs,       // has the turn, or can get it at any time
    computes,   // uses a processor until a certain time
    preempted,  // gets a processor at a certain time
    sleeps,     // waits in a system call that a signal interrupts
    waits,      // waits in the kernel for another thread or an event
    ended,
  };
  struct Thread {
    pid_t id = 0;        // Linux's; 0 before it has run
    pthread_t handle{};  // valid after it was started
    std::condition_variable turn_came;
    Doing doing = Doing::runs;
    const void* waits_for = nullptr;
    bool woken = false;
    Nanoseconds until = Timeline::kNever;  // end of what it does, unless it runs
    Nanoseconds processor_time{0};
    Nanoseconds computes_since{0};
    std::int64_t preemptions = 0;
    std::int64_t waits = 0;
    std::uint64_t calls_since_wait = 0;
    std::optional<siginfo_t> signal;  // sent, and not delivered
  };

  // The calling thread is the driver, and has the turn.
  Threads(Timeline& timeline, Chance& chance);
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  // ---- the life of a thread ----
  // Adds a thread that is about to be started; started() must follow.
  [[nodiscard]] Thread& add();
  void started(pthread_t handle) noexcept { threads_.back()->handle = handle; }
  // Called first on the thread itself; waits for its turn.
  void begin(Thread& self);
  // Called last on the thread itself; gives the turn away.
  void end();
  // Waits until the thread with that handle has ended. Returns at once if it is not one of these threads.
  void await_end(pthread_t handle);
  // Returns how many threads have not ended, with the driver.
  [[nodiscard]] std::size_t alive() const noexcept;

  // Returns how often all threads together have waited.
  [[nodiscard]] std::int64_t waits() const noexcept;

  // ---- what the calling thread does ----
  [[nodiscard]] Thread& self() const noexcept { return *turn_; }
  // Uses a processor for `duration`, and gives the turn to others if chance says so.
  void run_for(Nanoseconds duration);
  void compute(Nanoseconds duration);
  void lose_processor(Nanoseconds duration);
  // Sleeps in a system call. Returns false if a signal has interrupted it.
  bool sleep_until(Nanoseconds moment);
  // Waits until another thread calls wake() with the same key, or until `moment`. Returns false if the time is over.
  bool wait_for(const void* key, Nanoseconds moment);

  // ---- what it does to others ----
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  // Wakes at most `count` threads that wait for `key`, chosen by chance.
  void wake(const void* key, std::size_t count = kAll);
  void send_signal(pid_t thread, const siginfo_t& info);

  // ---- what Linux says about a thread ----
  // Returns null if there is no such thread.
  [[nodiscard]] const Thread* find(pid_t thread) const noexcept;
  [[nodiscard]] Nanoseconds processor_time(const Thread& thread) const noexcept;

 private:
  void wait(Doing doing, const void* key, Nanoseconds until);
  void pass();
  [[nodiscard]] Thread& choose();
  [[nodiscard]] bool ready(const Thread& thread) const noexcept;
  void deliver_signal();

  Timeline& timeline_;
  Chance& chance_;
  double switches_;  // how likely a call gives the turn away
  std::mutex mutex_;
  Thread* turn_ = nullptr;  // the thread whose turn it is; guarded by mutex_
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace volt::simulation
