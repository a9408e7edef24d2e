// SPDX-License-Identifier: MIT

// watch: a value is sent, then the sender is destroyed, while one receiver waits for each change and another one is
// cancelled. The first must see the value and the end.
#pragma once

#include <array>
#include <optional>
#include <utility>

#include "runtime/watch.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

class WatchBody final : public Body {
 public:
  static constexpr unsigned kThreads = 4;

  WatchBody() {
    auto [sender, receiver] = watch(0);
    sender_.emplace(std::move(sender));
    second_receiver_.emplace(receiver);
    receiver_.emplace(std::move(receiver));
    first_ = new Tasklet(receive_all(*this), 1, destroyed_[0]);
    second_ = new Tasklet(receive_once(*this), 2, destroyed_[1]);
  }

  void thread(unsigned index) override {
    if (index == 0) first_->run();
    if (index == 1) second_->run();
    if (index == 2) {
      data_ = 1;
      sender_->send(1);
      sender_.reset();
    }
    if (index != 3) return;
    sched::cancel(*second_);
    second_->release();
  }

  void finish() override {
    for (const int destroyed : destroyed_) require(destroyed == 1, "each task is destroyed exactly once");
    require(seen_ == 1, "a receiver sees the last value, once");
    require(receiver_->closed(), "a receiver sees the end");
  }

 private:
  static Routine receive_all(WatchBody& self) {
    for (;;) {
      bool changed = self.receiver_->try_changed();
      if (!changed) changed = co_await self.receiver_->changed();
      if (!changed) co_return;
      require(self.data_ == 1, "a receiver that sees a change sees what was written before");
      self.seen_ += *self.receiver_->borrow();
    }
  }

  static Routine receive_once(WatchBody& self) {
    try {
      const bool changed = co_await self.second_receiver_->changed();
      require(changed && *self.second_receiver_->borrow() == 1, "a change is a new value, before the end");
    } catch (const Cancelled&) {  // decided: a cancelled receiver has seen nothing
    }
  }

  std::optional<WatchSender<int>> sender_;
  std::optional<WatchReceiver<int>> receiver_;
  std::optional<WatchReceiver<int>> second_receiver_;
  int data_ = 0;  // written before the value is sent
  int seen_ = 0;
  std::array<int, 2> destroyed_{};
  Tasklet* first_;
  Tasklet* second_;
};

}  // namespace volt::model
