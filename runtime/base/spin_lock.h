// A lock for critical sections of a few dozen instructions that never wait, call out or allocate.
//
// Edges
//   L1  unlock's release  ->  lock's acquire : what was done under the lock is seen by the next holder
//
// Why not std::mutex: uncontended, this is one read-modify-write instead of two and 1 byte instead of 40. A holder can
// lose its processor, so a waiter gives its own away after a short spin.
#pragma once

#include <sched.h>

#include "runtime/base/atomic.h"

namespace volt::base {

// A wait for somebody who is a few instructions from being done: pauses, and after a while gives the processor away.
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
    for (SpinWait wait; !try_lock();) wait.pause();
  }

  void unlock() noexcept { held_.store(false, release); }  // L1

 private:
  Atomic<bool> held_{false};
};

}  // namespace volt::base
