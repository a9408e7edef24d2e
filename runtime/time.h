// Waiting for time to pass.
#pragma once

#include <chrono>

#include "runtime/sched/clock.h"
#include "runtime/sched/select_wait.h"
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

// Waits for `duration` from the call by the runtime's clock, and then for the task's turn; never less. A timer is late by at most a
// wheel tick (66 us) on an idle worker.
[[nodiscard]] inline auto sleep_for(std::chrono::nanoseconds duration) noexcept {
  return sched::Sleep(sched::moment_after(sched::current()->worker->clock().now_ns(), duration));
}

}  // namespace volt
