// Waiting for time to pass, and moments on the runtime's clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstdint>

#include "runtime/sched/clock.h"
#include "runtime/sched/suspension.h"
#include "runtime/sched/timers.h"
#include "runtime/sched/worker.h"

namespace volt {
namespace sched {

class Sleep : public Suspension, public Timer {
 public:
  explicit Sleep(std::int64_t until_ns) noexcept : until_ns_(until_ns) {}

  [[nodiscard]] bool await_ready() noexcept { return begin(); }
  void await_suspend(std::coroutine_handle<> frame) noexcept {
    suspend_at(frame, WaitsFor::timer);
    current()->worker->timers().add(*this, until_ns_);
  }
  void await_resume() const { throw_if_cancelled(); }

  bool cancel() noexcept override {
    if (!Timers::remove(*this)) return false;
    set_cancelled();
    return true;
  }
  io::Completion* fire() noexcept override { return claim() ? this : nullptr; }

  // As a branch of a select().
  [[nodiscard]] bool start_branch() noexcept {
    current()->worker->timers().add(*this, until_ns_);
    return false;
  }
  void leave() noexcept { static_cast<void>(Timers::remove(*this)); }

 private:
  const std::int64_t until_ns_;
};

}  // namespace sched

// A moment on the runtime's clock: what is left of a time limit that several waits share.
// Threads: made and asked in tasks, of one runtime.
class Deadline {
 public:
  [[nodiscard]] static Deadline after(std::chrono::nanoseconds duration) noexcept {
    return Deadline(sched::moment_after(clock_ns(), duration));
  }

  // Not below zero.
  [[nodiscard]] std::chrono::nanoseconds left() const noexcept {
    return std::chrono::nanoseconds(std::max<std::int64_t>(0, at_ns_ - clock_ns()));
  }
  [[nodiscard]] bool passed() const noexcept { return left() == std::chrono::nanoseconds(0); }
  // The same moment, by which it is later.
  [[nodiscard]] Deadline operator+(std::chrono::nanoseconds duration) const noexcept {
    return Deadline(sched::moment_after(at_ns_, duration));
  }
  [[nodiscard]] std::chrono::nanoseconds operator-(Deadline earlier) const noexcept {
    return std::chrono::nanoseconds(at_ns_ - earlier.at_ns_);
  }
  auto operator<=>(const Deadline&) const = default;

  // On the monotonic clock, or the manual one of a test.
  [[nodiscard]] std::int64_t at_ns() const noexcept { return at_ns_; }

 private:
  explicit Deadline(std::int64_t at_ns) noexcept : at_ns_(at_ns) {}
  [[nodiscard]] static std::int64_t clock_ns() noexcept { return sched::current()->worker->clock().now_ns(); }

  std::int64_t at_ns_;
};

// Waits for `duration` from the call by the runtime's clock, and then for the task's turn; never less. A timer is late by at most a
// wheel tick (66 us) on an idle worker.
[[nodiscard]] inline auto sleep_for(std::chrono::nanoseconds duration) noexcept {
  return sched::Sleep(Deadline::after(duration).at_ns());
}

// The same until `deadline`.
[[nodiscard]] inline auto sleep_until(Deadline deadline) noexcept { return sched::Sleep(deadline.at_ns()); }

}  // namespace volt
