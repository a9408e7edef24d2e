// SPDX-License-Identifier: MIT

// Notify: two tasks wait, one of which is cancelled or passes its notification on. So the other one is always notified,
// also if the cancelled one was picked.
#pragma once

#include <array>

#include "runtime/notify.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

class NotifyBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  NotifyBody()
      : first_(*new Tasklet(wait(*this), 1, destroyed_[0])), second_(*new Tasklet(pass_on(*this), 2, destroyed_[1])) {}

  void thread(unsigned index) override {
    if (index == 0) first_.run();
    if (index == 1) second_.run();
    if (index != 2) return;
    data_ = 1;
    changed_.notify_one();
    sched::cancel(second_);
    second_.release();
  }

  void finish() override {
    for (const int destroyed : destroyed_) require(destroyed == 1, "each task is destroyed exactly once");
    require(notified_, "the task that waits on was notified");
    require(!changed_.try_notified(), "a notification is used once");
  }

 private:
  static Routine wait(NotifyBody& self) {
    co_await self.changed_.notified();
    require(self.data_ == 1, "a notified task sees what was written before");
    self.notified_ = true;
  }

  static Routine pass_on(NotifyBody& self) {
    try {
      co_await self.changed_.notified();
      require(self.data_ == 1, "a notified task sees what was written before");
      self.changed_.notify_one();
    } catch (const Cancelled&) {  // decided: notified() has passed the notification on, if there was one
    }
  }

  Notify changed_;
  int data_ = 0;  // written before the notification
  bool notified_ = false;
  std::array<int, 2> destroyed_{};
  Tasklet& first_;
  Tasklet& second_;
};

}  // namespace volt::model
