// SPDX-License-Identifier: MIT

// ForkWorth: whether it pays to share one worker's forks, learned from the duration of earlier stolen jobs.
//
// A wake-up costs as much as many small forks, and a thief that runs a very short job costs its forker several such
// jobs. The duration of a job is not known in advance. So the first offer is a bet: it wakes a worker. A stolen job
// that took long pays, and the next offer may bet again; otherwise the forker lets twice as many offers pass before the
// next bet, up to kOffersMax. A job that takes long nevertheless is found by the watchdog, whose verdict "stuck"
// overrules this class.
//
// Threads: bet belongs to the forker; any thread may call the rest. All values are hints.
// Rejected: timing each fork (reading the clock twice costs more than the fork); an average of job times (one very long
// job hides thousands of small ones).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "runtime/base/atomic.h"

namespace volt::sched {

class ForkWorth {
 public:
  static constexpr std::uint32_t kOffersMax = 1024;
  // Several times what a steal costs the caches of the two workers.
  static constexpr std::chrono::nanoseconds kPays = std::chrono::microseconds(2);

  // Called when there is a job to steal and a worker sleeps. Returns whether to wake a worker.
  [[nodiscard]] bool bet() noexcept {
    if (paid_.load(base::relaxed)) {      // relaxed: a hint
      paid_.store(false, base::relaxed);  // relaxed: a hint
      offers_between_ = 0;
      offers_to_pass_ = 0;
    }
    if (offers_to_pass_ != 0) {
      --offers_to_pass_;
      return false;
    }
    offers_between_ = std::min(offers_between_ * 2 + 1, kOffersMax);
    offers_to_pass_ = offers_between_;
    thieves_welcome_.store(true, base::relaxed);  // relaxed: a hint
    return true;
  }

  // Called by a thief when a stolen job has taken `duration`. Returns whether the theft paid.
  bool job_took(std::chrono::nanoseconds duration) noexcept {
    const bool pays = duration >= kPays;
    if (pays) paid_.store(true, base::relaxed);                                  // relaxed: a hint
    if (thieves_welcome() != pays) thieves_welcome_.store(pays, base::relaxed);  // relaxed: a hint
    return pays;
  }

  // Returns whether thieves should come without being woken for it.
  [[nodiscard]] bool thieves_welcome() const noexcept {
    return thieves_welcome_.load(base::relaxed);  // relaxed: a hint
  }

 private:
  std::uint32_t offers_between_ = 0;  // offers to pass between two bets
  std::uint32_t offers_to_pass_ = 0;
  base::Atomic<bool> paid_{false};  // a stolen job has paid since the last bet
  base::Atomic<bool> thieves_welcome_{true};
};

}  // namespace volt::sched
