// Interval: something to be done every so often.
//
//   Interval every(10s);
//   for (;;) {
//     const std::uint64_t missed = co_await every.tick();   // the first is over at once
//     report();
//   }
//
// Ticks lie a period apart, whatever is done between them takes. MissedTicks says what becomes of those that passed
// meanwhile.
//
// Threads: one task at a time. Cancellation: a tick() that is cancelled, or loses a select(), has not happened.
// Memory: 24 bytes; waiting allocates nothing. Lifetime: stays put while one waits for it.
#pragma once

#include <chrono>
#include <cstdint>

#include "runtime/base/check.h"
#include "runtime/deadline.h"

namespace volt {

enum class MissedTicks : std::uint8_t {
  skip,      // are left out: the next lies on the grid again
  catch_up,  // follow at once, one after the other
  delay,     // move the grid: the next tick lies a period after the late one
};

class Interval {
 public:
  class Tick final : public sched::Sleep {
   public:
    explicit Tick(Interval& interval) noexcept : Sleep(interval.next_.at_ns()), interval_(interval) {}

    // How many ticks before this one were left out.
    std::uint64_t await_resume() {
      Sleep::await_resume();
      return interval_.advance();
    }

   private:
    Interval& interval_;
  };

  // In a task. The first tick is now.
  explicit Interval(std::chrono::nanoseconds period, MissedTicks missed = MissedTicks::skip) noexcept
      : next_(Deadline::after(std::chrono::nanoseconds(0))), period_(period), missed_(missed) {
    VOLT_CHECK(period > std::chrono::nanoseconds(0));
  }

  [[nodiscard]] Tick tick() noexcept { return Tick(*this); }
  // Whether the tick is due: then it has happened.
  [[nodiscard]] bool try_tick() noexcept {
    if (!next_.passed()) return false;
    static_cast<void>(advance());
    return true;
  }

  // The next is a period from now.
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
