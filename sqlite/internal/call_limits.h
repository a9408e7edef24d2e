// SPDX-License-Identifier: MIT

// CallLimits: until when a call on a connection may run, and whether it has been interrupted.
//
// Threads: begin() is called by the task that will wait for the call, before it waits; interrupt() by any thread; the
// others by the thread that makes the call.
#pragma once

#include <algorithm>
#include <chrono>

#include "runtime/base/atomic.h"

namespace volt::sqlite::internal {

class CallLimits {
 public:
  using Clock = std::chrono::steady_clock;

  // Sets the limit of the next call, and forgets an earlier interrupt().
  void begin(std::chrono::nanoseconds timeout) noexcept {
    const auto now = Clock::now();
    deadline_ = now + std::min<std::chrono::nanoseconds>(timeout, Clock::time_point::max() - now);
    interrupted_.store(false, base::relaxed);  // relaxed: a flag that carries no data
  }
  // Makes the running call, or the one that is about to run, fail soon.
  void interrupt() noexcept { interrupted_.store(true, base::relaxed); }  // relaxed: a flag that carries no data

  [[nodiscard]] bool interrupted() const noexcept {
    return interrupted_.load(base::relaxed);  // relaxed: a flag that carries no data
  }
  [[nodiscard]] bool reached() const noexcept { return !lifted_ && (interrupted() || Clock::now() >= deadline_); }
  [[nodiscard]] Clock::time_point deadline() const noexcept { return lifted_ ? Clock::time_point::max() : deadline_; }

  // While it exists, no limit is reached, for a rollback within the call.
  class Lifted {
   public:
    explicit Lifted(CallLimits& limits) noexcept : limits_(limits) { limits_.lifted_ = true; }
    Lifted(const Lifted&) = delete;
    Lifted& operator=(const Lifted&) = delete;
    ~Lifted() { limits_.lifted_ = false; }

   private:
    CallLimits& limits_;
  };

 private:
  bool lifted_ = false;
  Clock::time_point deadline_ = Clock::time_point::max();
  base::Atomic<bool> interrupted_{false};
};

}  // namespace volt::sqlite::internal
