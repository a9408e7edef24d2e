// ForkWorth: whether it pays to share one worker's forks, learned from what became of earlier ones.
//
// A wake-up costs as much as a thousand small forks, and a thief that runs a job of 100 ns costs its forker several such
// jobs. Nobody can tell beforehand how long a job will take. So the first offer is a bet: it wakes somebody. A stolen job
// that was long pays, and the next offer may bet again; else the forker lets twice as many offers pass before the next
// bet, up to kOffersMax. What is long after all is found by the watchdog, whose verdict "stuck" overrules this.
//
// Threads: bet belongs to the forker; the rest: any. All of it is hints.
// Rejected: to time each fork (two looks at the clock cost more than the fork); an average of job times (one job of 50 ms
// hides thousands of small ones).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "runtime/base/atomic.h"

namespace volt::sched {

class ForkWorth {
 public:
  static constexpr std::uint32_t kOffersMax = 1024;
  // Some four times what the two caches pay for a steal.
  static constexpr std::chrono::nanoseconds kPays = std::chrono::microseconds(2);

  // There is something to steal, and somebody sleeps. Whether to wake one.
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

  // A thief's news. Returns whether it paid.
  bool job_took(std::chrono::nanoseconds duration) noexcept {
    const bool pays = duration >= kPays;
    if (pays) paid_.store(true, base::relaxed);                                  // relaxed: a hint
    if (thieves_welcome() != pays) thieves_welcome_.store(pays, base::relaxed);  // relaxed: a hint
    return pays;
  }

  // Whether thieves should come without being called.
  [[nodiscard]] bool thieves_welcome() const noexcept {
    return thieves_welcome_.load(base::relaxed);  // relaxed: a hint
  }

 private:
  std::uint32_t offers_between_ = 0;  // two bets
  std::uint32_t offers_to_pass_ = 0;
  base::Atomic<bool> paid_{false};  // since the last bet
  base::Atomic<bool> thieves_welcome_{true};
};

}  // namespace volt::sched
