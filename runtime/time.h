// SPDX-License-Identifier: MIT

// sleep_for(): waits for a duration.
#pragma once

#include <chrono>

#include "runtime/sched/select_wait.h"
#include "runtime/sched/timer.h"

namespace volt {
namespace sched {

class [[nodiscard("nothing waits without co_await: write co_await before the call")]] Sleep : public Suspension,
                                                                                              public Timer {
 public:
  explicit Sleep(std::int64_t until_ns) noexcept : until_ns_(until_ns) {}

  [[nodiscard]] bool await_ready() noexcept { return begin(); }
  void await_suspend(coro::AwaitPoint point) noexcept {
    suspend_at(point, WaitsFor::timer);
    arm(until_ns_);
  }
  void await_resume() const { throw_if_cancelled(); }

  bool cancel() noexcept override {
    if (!disarm()) return false;
    set_cancelled();
    return true;
  }
  io::Completion* fire() noexcept override { return claim() ? this : nullptr; }

  // Starts this wait as a branch of a select(); never served at once.
  [[nodiscard]] bool start_branch() noexcept {
    arm(until_ns_);
    return false;
  }
  void leave() noexcept { static_cast<void>(disarm()); }

 private:
  const std::int64_t until_ns_;
};

}  // namespace sched

// Waits for at least `duration` from the call, by the runtime's clock, and then until the worker runs the task. On an
// idle worker a timer is late by at most a tick of the timer wheel (16 us), and by the time that the kernel takes to
// wake a thread.
inline auto sleep_for(std::chrono::nanoseconds duration) noexcept {
  return sched::Sleep(sched::moment_after(sched::clock_ns(), duration));
}

}  // namespace volt
