// SPDX-License-Identifier: MIT

// Deadline: a point in time that several waits share.
//
//   const Deadline deadline = Deadline::after(2s);
//   Result<Head> head = co_await within(deadline, [&] { return read_head(stream); });
//   Result<Body> body = co_await within(deadline, [&] { return read_body(stream); });   // in the remaining time
#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>

#include "runtime/concurrent.h"
#include "runtime/sched/timer.h"
#include "runtime/time.h"

namespace volt {

// Threads: created and queried in tasks of one runtime, whose clock it uses. A value.
class Deadline {
 public:
  [[nodiscard]] static Deadline after(std::chrono::nanoseconds duration) noexcept {
    return Deadline(sched::moment_after(sched::clock_ns(), duration));
  }

  // Returns the remaining time; zero once the deadline has passed.
  [[nodiscard]] std::chrono::nanoseconds left() const noexcept {
    return std::chrono::nanoseconds(std::max<std::int64_t>(0, at_ns_ - sched::clock_ns()));
  }
  [[nodiscard]] bool passed() const noexcept { return left() == std::chrono::nanoseconds(0); }
  // Returns this deadline, moved later by `duration`.
  [[nodiscard]] Deadline operator+(std::chrono::nanoseconds duration) const noexcept {
    return Deadline(sched::moment_after(at_ns_, duration));
  }
  [[nodiscard]] std::chrono::nanoseconds operator-(Deadline earlier) const noexcept {
    return std::chrono::nanoseconds(at_ns_ - earlier.at_ns_);
  }
  auto operator<=>(const Deadline&) const = default;

  // Returns nanoseconds on the monotonic clock, or on the manual clock of a test.
  [[nodiscard]] std::int64_t at_ns() const noexcept { return at_ns_; }

 private:
  explicit Deadline(std::int64_t at_ns) noexcept : at_ns_(at_ns) {}

  std::int64_t at_ns_;
};

// Waits until `deadline`, and then until the worker runs the task.
inline auto sleep_until(Deadline deadline) noexcept { return sched::Sleep(deadline.at_ns()); }

// Runs the callable's task until `deadline` at most; then the task is cancelled and awaited. Error: timed_out, if the
// task was cancelled because of the deadline.
template <class F>
Task<Result<sched::CalledValue<F>>> within(Deadline deadline, F function) {
  co_return co_await within(deadline.left(), std::move(function));
}

}  // namespace volt
