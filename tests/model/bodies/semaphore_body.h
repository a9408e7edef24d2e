// SPDX-License-Identifier: MIT

// Semaphore with two permits: one task acquires both at once, another acquires one and is cancelled at some point.
#pragma once

#include <array>

#include "runtime/semaphore.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

class SemaphoreBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  SemaphoreBody() : both_(make(0, 2, 1)), one_(make(1, 1, 2)) {}

  void thread(unsigned index) override {
    if (index == 0) both_.run();
    if (index == 1) one_.run();
    if (index != 2) return;
    sched::cancel(one_);
    one_.release();
  }

  void finish() override {
    for (const int destroyed : destroyed_) require(destroyed == 1, "each task is destroyed exactly once");
    require(turns_ == 1 + (cancelled_ ? 0 : 1), "each turn was taken or cancelled");
    require(permits_.available() == 2, "every permit is free again");
    require(permits_.waiting() == 0, "no task waits");
  }

 private:
  Tasklet& make(unsigned task, std::size_t permits, std::uint32_t references) {
    return *new Tasklet(take_turn(*this, permits), references, destroyed_[task]);
  }

  static Routine take_turn(SemaphoreBody& self, std::size_t permits) {
    try {
      const Result<Semaphore::Permit> permit = co_await self.permits_.acquire(permits);
      require(permit && permit->count() == permits, "an open semaphore gives the permits");
      ++self.turns_;
    } catch (const Cancelled&) {
      self.cancelled_ = true;
    }
  }

  Semaphore permits_{2};
  int turns_ = 0;  // the tasks never hold permits at the same time: together they want three
  bool cancelled_ = false;
  std::array<int, 2> destroyed_{};
  Tasklet& both_;
  Tasklet& one_;
};

}  // namespace volt::model
