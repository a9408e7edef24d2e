// SPDX-License-Identifier: MIT

// Timeline: the virtual time of a simulation, and its planned events.
//
// Threads: the thread whose turn it is (threads.h).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace volt::simulation {

using Nanoseconds = std::chrono::nanoseconds;

class Timeline {
 public:
  static constexpr Nanoseconds kNever = Nanoseconds::max();

  explicit Timeline(Nanoseconds start) noexcept : now_(start) {}

  [[nodiscard]] Nanoseconds now() const noexcept { return now_; }
  void pass(Nanoseconds duration) noexcept { now_ += duration; }
  void advance_to(Nanoseconds moment) noexcept { now_ = std::max(now_, moment); }

  // Plans an event. Events of the same moment happen in the order in which they were planned.
  void in(Nanoseconds delay, std::move_only_function<void()> event) {
    events_.emplace(Moment{now_ + delay, next_number_++}, std::move(event));
  }
  // Returns the time of the next event; kNever if none is planned.
  [[nodiscard]] Nanoseconds next() const noexcept { return events_.empty() ? kNever : events_.begin()->first.time; }
  // Runs the events whose time has come.
  void run_due() {
    while (next() <= now_) {
      const auto first = events_.extract(events_.begin());
      first.mapped()();
    }
  }

 private:
  struct Moment {
    Nanoseconds time;
    std::uint64_t number;
    auto operator<=>(const Moment&) const = default;
  };

  Nanoseconds now_;
  std::uint64_t next_number_ = 0;
  std::map<Moment, std::move_only_function<void()>> events_;
};

}  // namespace volt::simulation
