// SPDX-License-Identifier: MIT

// FutexMutex: a mutex of the peers' models. A thread that finds it locked spins for a moment, and then sleeps in the
// kernel until an unlock wakes it, as with Go's runtime.mutex and Rust's std::sync::Mutex.
//
// Threads: any virtual thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

#include "loadtest/scaling/machine.h"
#include "runtime/base/atomic.h"

namespace volt::scaling {

class FutexMutex {
 public:
  void lock() noexcept {
    bool woken_for_else = false;
    while (!spin()) {
      const std::uint32_t me = machine().current();
      waiting_.push_back(me);
      machine().spend(machine().costs().park_ns);
      while (held_.load(base::relaxed) && waits(me)) {  // relaxed: one thread runs
        machine().sleep();
        woken_for_else = woken_for_else || waits(me);
      }
      std::erase(waiting_, me);
    }
    if (woken_for_else) machine().keep_wake();
  }

  // A thread that comes before the woken one may take the mutex.
  void unlock() noexcept {
    held_.store(false, base::relaxed);  // relaxed: one thread runs
    if (waiting_.empty()) return;
    const std::uint32_t next = waiting_.front();
    waiting_.pop_front();
    machine().wake(next);
  }

 private:
  // As Go's lock_futex.go: five looks, with 30 pauses between two.
  static constexpr std::uint32_t kSpins = 5;
  static constexpr std::int64_t kPauses = 30;

  [[nodiscard]] bool spin() noexcept {
    for (std::uint32_t spins = 0; spins != kSpins; ++spins) {
      if (!held_.load(base::relaxed) && !held_.exchange(true, base::relaxed)) return true;  // relaxed: one thread runs
      machine().spend(kPauses * machine().costs().pause_ns);
    }
    return false;
  }
  [[nodiscard]] bool waits(std::uint32_t thread) const noexcept {
    return std::ranges::find(waiting_, thread) != waiting_.end();
  }

  base::Atomic<bool> held_{false};
  std::deque<std::uint32_t> waiting_;  // the kernel's
};

}  // namespace volt::scaling
