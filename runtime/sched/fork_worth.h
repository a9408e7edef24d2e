// SPDX-License-Identifier: MIT

// ForkWorth: decides whether it pays to let other workers steal one worker's forks. The decision depends on the
// duration of earlier stolen jobs.
//
// A wake-up costs as much as many small forks, and the theft of a very short job costs its forker more than running the
// job. The duration of a job is not known in advance. So the first offer is a bet: the forker wakes a worker for it. If
// a stolen job takes at least kPays, the bet has paid, and the next offer is a bet again. Otherwise the forker doubles
// the number of offers, up to kOffersMax, that pass before the next bet. If a job takes long while no bet is made, the
// watchdog finds its worker stuck; thieves then steal from that worker whatever this class decides.
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
  // A stolen job of at least this duration pays. The value is several times the cost of the cache misses that a theft
  // causes.
  static constexpr std::chrono::nanoseconds kPays = std::chrono::microseconds(2);

  // Returns whether to wake a worker. Called by the forker when a job is on offer and a worker is parked.
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

  // Returns whether workers that search for work should steal from this worker. True at first, and false after a stolen
  // job that did not pay. True again after the next bet, or after a stolen job that pays.
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
