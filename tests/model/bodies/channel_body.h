// SPDX-License-Identifier: MIT

// A channel of capacity 1: one task sends two values and closes the channel, a second receives until the end, a third
// receives once and is cancelled at some point.
#pragma once

#include <array>
#include <optional>

#include "runtime/channel.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

class ChannelBody final : public Body {
 public:
  static constexpr unsigned kThreads = 4;

  ChannelBody() : ends_(channel<int>(1)) {
    sender_ = new Tasklet(send_two(*this), 1, destroyed_[0]);
    receiver_ = new Tasklet(receive_all(*this), 1, destroyed_[1]);
    cancelled_ = new Tasklet(receive_once(*this), 2, destroyed_[2]);
  }

  void thread(unsigned index) override {
    if (index == 0) sender_->run();
    if (index == 1) receiver_->run();
    if (index == 2) cancelled_->run();
    if (index != 3) return;
    sched::cancel(*cancelled_);
    cancelled_->release();
  }

  void finish() override {
    for (const int destroyed : destroyed_) require(destroyed == 1, "each task is destroyed exactly once");
    require(by_all_ + by_one_ == 1 + 2, "each value is received exactly once");
    require(in_order_, "values keep their order");
  }

 private:
  static Routine send_two(ChannelBody& self) {
    auto& sender = self.ends_.first;
    const bool first = co_await sender.send(1);
    const bool second = co_await sender.send(2);
    require(first && second, "an open channel takes values");
    sender.close();
  }

  static Routine receive_all(ChannelBody& self) {
    auto& receiver = self.ends_.second;
    int last = 0;
    for (;;) {
      const std::optional<int> value = co_await receiver.receive();
      if (!value) break;
      self.by_all_ += *value;
      if (*value < last) self.in_order_ = false;
      last = *value;
    }
  }

  static Routine receive_once(ChannelBody& self) {
    try {
      const std::optional<int> value = co_await self.ends_.second.receive();
      self.by_one_ += value.value_or(0);
    } catch (const Cancelled&) {  // decided: the value, if there was one, is received by the other task
    }
  }

  std::pair<Sender<int>, Receiver<int>> ends_;
  int by_all_ = 0;
  int by_one_ = 0;
  bool in_order_ = true;
  std::array<int, 3> destroyed_{};
  Tasklet* sender_;
  Tasklet* receiver_;
  Tasklet* cancelled_;
};

}  // namespace volt::model
