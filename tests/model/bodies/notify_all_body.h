// SPDX-License-Identifier: MIT

// Notify::notify_all: it wakes those of two tasks that wait at that moment, one of which is cancelled. It is not
// remembered, so one notification follows, and each task that was notified passes one on: the task that is not
// cancelled is always notified.
#pragma once

#include <array>

#include "runtime/notify.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

class NotifyAllBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  NotifyAllBody()
      : first_(*new Tasklet(wait(*this), 1, destroyed_[0])), second_(*new Tasklet(wait(*this), 2, destroyed_[1])) {}

  void thread(unsigned index) override {
    if (index == 0) first_.run();
    if (index == 1) second_.run();
    if (index != 2) return;
    data_ = 1;
    changed_.notify_all();
    changed_.notify_one();
    sched::cancel(second_);
    second_.release();
  }

  void finish() override {
    for (const int destroyed : destroyed_) require(destroyed == 1, "each task is destroyed exactly once");
  }

 private:
  static Routine wait(NotifyAllBody& self) {
    try {
      co_await self.changed_.notified();
      require(self.data_ == 1, "a notified task sees what was written before");
      self.changed_.notify_one();
    } catch (const Cancelled&) {  // decided: a notification of notify_one() was passed on
    }
  }

  Notify changed_;
  int data_ = 0;  // written before the notifications
  std::array<int, 2> destroyed_{};
  Tasklet& first_;
  Tasklet& second_;
};

}  // namespace volt::model
