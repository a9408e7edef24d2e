// SPDX-License-Identifier: MIT

// Barrier of two: a task arrives twice; a second one arrives once and is cancelled at some point, also while the round
// in which it arrived wakes its waiters; a thread completes what is left with try_arrive(). If a cancelled arrival were
// taken back from a later round than its own, that round would not end.
#pragma once

#include <array>
#include <coroutine>

#include "runtime/barrier.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

class BarrierBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  BarrierBody()
      : first_(*new Tasklet(arrive_twice(*this), 1, destroyed_[0])),
        second_(*new Tasklet(arrive_once(*this), 2, destroyed_[1])) {}

  void thread(unsigned index) override {
    if (index == 0) first_.run();
    if (index == 1) second_.run();
    if (index != 2) return;
    sched::cancel(second_);
    second_.release();
    while (!passed_.load(base::acquire)) {
      arrived_.wait();
      if (barrier_.try_arrive()) ++led_[2];
    }
  }

  void finish() override {
    for (const int destroyed : destroyed_) require(destroyed == 1, "each task is destroyed exactly once");
    const int rounds = led_[0] + led_[1] + led_[2];
    require(rounds == 2 || rounds == 3, "one arrival completes each round");  // the third: of the second task's arrival
    require(!barrier_.try_arrive(), "no arrival is left");
  }

 private:
  // An arrival that gives a signal once it waits.
  class Announced {
   public:
    explicit Announced(BarrierBody& self) noexcept : arriving_(self.barrier_.arrive()), waits_(self.arrived_) {}
    [[nodiscard]] bool await_ready() noexcept { return arriving_.await_ready(); }
    void await_suspend(coro::AwaitPoint point) noexcept {
      arriving_.await_suspend(point);
      waits_.signal_in_order();
    }
    [[nodiscard]] bool await_resume() const { return arriving_.await_resume(); }

   private:
    Barrier::Arriving arriving_;
    Event& waits_;
  };

  static Routine arrive_twice(BarrierBody& self) {
    self.data_ = 1;
    for (int round = 0; round != 2; ++round) {
      Announced arriving(self);
      const bool leads = co_await arriving;
      if (leads) ++self.led_[0];
    }
    self.passed_.store(true, base::release);
    self.arrived_.signal_in_order();
  }

  static Routine arrive_once(BarrierBody& self) {
    try {
      const bool leads = co_await self.barrier_.arrive();
      if (leads) ++self.led_[1];
      require(self.data_ == 1, "a task that has passed sees what was written before the other arrivals");
    } catch (const Cancelled&) {  // decided: the arrival counts if its round was complete before
    }
  }

  Barrier barrier_{2};
  Event arrived_;
  int data_ = 0;  // written before the first task arrives
  base::Atomic<bool> passed_{false};
  std::array<int, 3> led_{};  // rounds that each thread completed
  std::array<int, 2> destroyed_{};
  Tasklet& first_;
  Tasklet& second_;
};

}  // namespace volt::model
