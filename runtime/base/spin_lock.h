// SPDX-License-Identifier: MIT

// A lock for critical sections of a few dozen instructions. A critical section must not wait, call user code or
// allocate.
//
// Edges
// L1  unlock's release  ->  lock's acquire : everything done under the lock is visible to the next holder
//
// Why not std::mutex: without contention a spin lock costs one read-modify-write instead of two, and takes 1 byte
// instead of 40. The holder can be preempted, so a waiter yields its processor after a short spin.
#pragma once

#include <sched.h>

#include "runtime/base/atomic.h"

namespace volt::base {

// Waits for another thread that is a few instructions from finishing: pauses, and after 64 pauses yields the processor.
class SpinWait {
 public:
  void pause() noexcept {
    if (pauses_ == kPausesBeforeYield) {
      ::sched_yield();
    } else {
      ++pauses_;
      spin_pause();
    }
  }

 private:
  static constexpr int kPausesBeforeYield = 64;
  int pauses_ = 0;
};

class SpinLock {
 public:
  SpinLock() = default;
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  [[nodiscard]] bool try_lock() noexcept {
    return !held_.load(relaxed) &&          // relaxed: only a hint, the exchange decides
           !held_.exchange(true, acquire);  // L1
  }

  void lock() noexcept {
    if (!try_lock()) wait_and_lock();
  }

  void unlock() noexcept { held_.store(false, release); }  // L1

 private:
  // Not inlined, so that functions that lock are short enough to be inlined themselves.
  [[gnu::noinline, gnu::cold]] void wait_and_lock() noexcept {
    SpinWait wait;
    do wait.pause();
    while (!try_lock());
  }

  Atomic<bool> held_{false};
};

}  // namespace volt::base
