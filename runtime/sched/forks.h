// SPDX-License-Identifier: MIT

// Forks: one worker's part in fork-join (runtime/fork.h): the jobs that it offers, and its waits for jobs that were
// stolen.
//
// A fork is two calls on one stack. While the first runs, the second is in the deque as a job. If no thief took the
// job, the forker runs it next, on the same stack. If a thief took the job, the forker waits for the thief, and runs
// jobs that this thief offers while it waits.
// Invariant F: a worker that begins a stolen job has an empty deque. (It begins the job in its main loop, where it has
//     no forks, or while it waits for a stolen job of its own; then all its older jobs were stolen, too.)
// Hence all jobs that a thief offers while it runs a job have been forked by that job. So a waiting forker runs only
// parts of the job that it waits for. Its stack does not get deeper than in a sequential run, and it never waits for
// unrelated work. If the caller holds a lock around a fork, no unrelated code requests that lock on this thread. A
// waiting forker runs no tasks for the same reasons: a long task, or a task that needs that lock, would run on top of
// its stack.
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
  // Returns true if thieves have taken all jobs on offer: the caller should divide its work and offer more jobs.
  [[nodiscard]] bool worth_dividing() const noexcept { return !deque_.on_offer(); }
  [[nodiscard]] std::uint32_t workers() const noexcept;

  // Returns whether a job is on offer. A hint, unless a fence orders the offer before this call.
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
