// SPDX-License-Identifier: MIT

// Interval: periodic ticks for work that is repeated at a fixed period.
//
//   Interval every(10s);
//   for (;;) {
//     const std::uint64_t missed = co_await every.tick();   // the first tick completes at once
//     report();
//   }
//
// Ticks are one period apart, however long the work between them takes. MissedTicks selects what happens to ticks that
// passed during that work.
//
// Threads: one task at a time. Cancellation: a tick() that is cancelled, or loses a select(), has not happened.
// Memory: 24 bytes; waiting allocates nothing. Lifetime: must not be moved while a task waits for it.
#pragma once

#include <chrono>
#include <cstdint>

#include "runtime/base/check.h"
#include "runtime/deadline.h"

namespace volt {

enum class MissedTicks : std::uint8_t {
  skip,      // missed ticks are skipped; the next tick is on the original grid
  catch_up,  // missed ticks follow at once, one after the other
  delay,     // the grid moves: the next tick is one period after the late one
};

class Interval {
 public:
  class Tick final : public sched::Sleep {
   public:
    explicit Tick(Interval& interval) noexcept : Sleep(interval.next_.at_ns()), interval_(interval) {}

    // Returns the number of ticks that were skipped before this one.
    std::uint64_t await_resume() {
      Sleep::await_resume();
      return interval_.advance();
    }

   private:
    Interval& interval_;
  };

  // Must be called in a task. The first tick is due immediately. `period` must be positive.
  explicit Interval(std::chrono::nanoseconds period, MissedTicks missed = MissedTicks::skip) noexcept
      : next_(Deadline::after(std::chrono::nanoseconds(0))), period_(period), missed_(missed) {
    VOLT_REQUIRE(period > std::chrono::nanoseconds(0),
                 "an Interval without a positive period was created: the period must be at least a nanosecond");
  }

  [[nodiscard]] Tick tick() noexcept { return Tick(*this); }
  // Returns true if the tick is due, and consumes it. Never waits.
  [[nodiscard]] bool try_tick() noexcept {
    if (!next_.passed()) return false;
    static_cast<void>(advance());
    return true;
  }

  // Makes the next tick due one period from now.
  void restart() noexcept { next_ = Deadline::after(period_); }

 private:
  std::uint64_t advance() noexcept {
    const std::chrono::nanoseconds late = Deadline::after(std::chrono::nanoseconds(0)) - next_;
    switch (missed_) {
      case MissedTicks::catch_up:
        next_ = next_ + period_;
        return 0;
      case MissedTicks::delay:
        restart();
        return 0;
      case MissedTicks::skip:
        break;
    }
    const auto missed = late / period_;
    next_ = next_ + period_ * (missed + 1);
    return static_cast<std::uint64_t>(missed);
  }

  Deadline next_;
  const std::chrono::nanoseconds period_;
  const MissedTicks missed_;
};

static_assert(sizeof(Interval) == 24);

}  // namespace volt
