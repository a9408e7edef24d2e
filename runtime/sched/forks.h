// Forks: one worker's part in fork-join (runtime/fork.h): the jobs that it offers, and its waits for those that were
// stolen.
//
// A fork is two calls on one stack. The second lies in the deque as a job while the first runs; if no thief took it, it
// is called next, on the same stack. If one did, the forker waits, and meanwhile runs jobs that its thief offers.
// Invariant F: a worker that begins a stolen job has an empty deque (it comes from its loop, or from a wait for a job
//     that was stolen, and then every older one was, too).
// Hence all that a thief offers while it runs a job has been forked by that job, so a waiting forker runs nothing but
// parts of what it waits for: its stack is no deeper than that of the same calls in a row, its wait is never for foreign
// work, and a lock that is held around a fork is asked for by nobody on the same thread who would not have asked anyhow.
// For the same reasons it runs no tasks: one of 50 ms, or one that needs that lock, would sit on top of it.
//
// Rejected: waiting with any job of anybody (rayon: unrelated locks deadlock, rayon #592; unrelated work delays);
// continuation stealing (libfork), which makes of every function that forks a coroutine.
//
// Threads: offer, take_back, wait_for, worth_dividing: the worker's own, in a task or a stolen job. The rest: thieves.
//
// Edges
//   J1  fork_job.h : what the thief did is done
//   J2  fork_job.h : a forker whose sleep is announced has set asleep_
//   J3  fork_job.h : a forker who goes to sleep sees what its thief offers, or is woken for it
//   F1  wake_up changes asleep_  ->  the forker's wait for it : a wake-up
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

  // False: there is no room; the caller runs it itself.
  [[nodiscard]] bool offer(ForkJob& job) noexcept {
    const auto pushed = deque_.push(job);
    if (pushed == Deque::Push::full) [[unlikely]]
      return false;
    if (pushed == Deque::Push::offered) [[unlikely]]
      offered();
    return true;
  }
  // The job offered last. False: it was stolen, and has to be waited for.
  [[nodiscard]] bool take_back() noexcept { return deque_.pop(); }
  // Returns when its thief is done with it.
  void wait_for(ForkJob& job) noexcept;
  // Thieves have taken all that was on offer.
  [[nodiscard]] bool worth_dividing() const noexcept { return !deque_.on_offer(); }
  [[nodiscard]] std::uint32_t workers() const noexcept;

  // Whether there is something to take; a hint, unless a fence orders it after the offer.
  [[nodiscard]] bool on_offer() const noexcept { return deque_.on_offer(); }
  // The same, and it is thought to be worth it.
  [[nodiscard]] bool attractive() const noexcept { return deque_.on_offer() && worth_.thieves_welcome(); }
  [[nodiscard]] ForkJob* steal() noexcept { return deque_.steal(); }
  [[nodiscard]] ForkWorth& worth() noexcept { return worth_; }

  // Runs a job of `forker`'s that this worker has stolen.
  void run_stolen(ForkJob& job, Forks& forker) noexcept;
  // How many jobs this worker has stolen and run.
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
  const Stolen* runs_ = nullptr;  // the stolen job that this worker has begun last, of those that it is in
  Deque deque_;
  ForkWorth worth_;
  base::Atomic<std::uint64_t> stolen_{0};
  alignas(base::kNoSharingBytes) base::Atomic<std::uint32_t> asleep_{0};  // 1: in sleep_until_woken
};

}  // namespace volt::sched
