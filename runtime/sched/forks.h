// SPDX-License-Identifier: MIT

// Forks: one worker's part in fork-join (runtime/fork.h): the jobs that it offers, and its waits for jobs that were
// stolen.
//
// A fork is two calls on one stack. The second is in the deque as a job while the first runs; if no thief took it, the
// forker calls it next, on the same stack. If a thief took it, the forker waits, and in the meantime runs jobs that its
// thief offers.
// Invariant F: a worker that begins a stolen job has an empty deque (it comes from its loop, or from a wait for a job
//     that was stolen; then every older job was stolen, too).
// Hence all jobs that a thief offers while it runs a job have been forked by that job, so a waiting forker runs nothing
// but parts of the job that it waits for: its stack does not get deeper than with the same calls made in sequence, it
// never waits for unrelated work, and a lock that is held around a fork is not requested on this thread by code that
// would not have requested it in a sequential run. For the same reasons it runs no tasks: a long task, or a task that
// needs that lock, would run on top of the forker's stack.
//
// Rejected: running any worker's jobs during the wait (rayon: unrelated locks deadlock, rayon #592; unrelated work
// delays); continuation stealing (libfork), which requires every function that forks to be a coroutine.
//
// Threads: offer, take_back, wait_for and worth_dividing belong to the worker itself, in a task or a stolen job.
// Thieves call the rest.
//
// Edges
//   J1  fork_job.h : the thief's work is visible
//   J2  fork_job.h : a forker whose sleep is announced has set asleep_
//   J3  fork_job.h : a forker that goes to sleep sees the jobs that its thief offers, or is woken for them
//   F1  wake_up changes asleep_  ->  the forker's wait for asleep_ : a wake-up
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/sched/fork_deque.h"
#include "runtime/sched/fork_job.h"
#include "runtime/sched/fork_worth.h"

namespace volt::sched {

class Worker;

class Forks {
 public:
  explicit Forks(Worker& worker) noexcept;

  // Offers the job. Returns false if there is no room; the caller must run the job itself.
  [[nodiscard]] bool offer(ForkJob& job) noexcept {
    const auto pushed = deque_.push(job);
    if (pushed == Deque::Push::full) [[unlikely]]
      return false;
    if (pushed == Deque::Push::offered) [[unlikely]]
      offered();
    return true;
  }
  // Takes back the job offered last. Returns false if it was stolen; the caller must wait for it.
  [[nodiscard]] bool take_back() noexcept { return deque_.pop(); }
  // Returns when the thief of `job` is done with it. May run parts of the job in the meantime.
  void wait_for(ForkJob& job) noexcept;
  // Returns whether thieves have taken all jobs on offer, so that more jobs should be offered.
  [[nodiscard]] bool worth_dividing() const noexcept { return !deque_.on_offer(); }
  [[nodiscard]] std::uint32_t workers() const noexcept;

  // Returns whether a job is on offer; a hint, unless a fence orders it after the offer.
  [[nodiscard]] bool on_offer() const noexcept { return deque_.on_offer(); }
  // Returns whether a job is on offer and stealing it is expected to pay.
  [[nodiscard]] bool attractive() const noexcept { return deque_.on_offer() && worth_.thieves_welcome(); }
  [[nodiscard]] ForkJob* steal() noexcept { return deque_.steal(); }
  [[nodiscard]] ForkWorth& worth() noexcept { return worth_; }

  // Runs a job that this worker has stolen from `forker`.
  void run_stolen(ForkJob& job, Forks& forker) noexcept;
  // Returns the number of jobs that this worker has stolen and run.
  [[nodiscard]] std::uint64_t stolen() const noexcept { return stolen_.load(base::relaxed); }  // relaxed: a report

 private:
  using Deque = ForkDeque<ForkJob>;
  struct Stolen {
    ForkJob& job;
    Forks& forker;
  };

  void offered() noexcept;
  [[nodiscard]] bool help(const ForkJob& job) noexcept;
  void sleep_until_woken(ForkJob& job) noexcept;
  void wake_up() noexcept;

  Worker& worker_;
  const Stolen* runs_ = nullptr;  // the innermost stolen job that this worker is running
  Deque deque_;
  ForkWorth worth_;
  base::Atomic<std::uint64_t> stolen_{0};
  alignas(base::kNoSharingBytes) base::Atomic<std::uint32_t> asleep_{0};  // 1 while the worker is in sleep_until_woken
};

}  // namespace volt::sched
