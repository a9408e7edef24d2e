// SPDX-License-Identifier: MIT

// broadcast, a ring of one value: two values are sent, then the broadcaster is destroyed, while one subscriber receives
// until the end and another one is cancelled. The first must see the last value, count the lost one, and see the end.
// What was received is kept until finish(), because the explorer does not see the reference counts of shared pointers.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "runtime/broadcast.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

class BroadcastBody final : public Body {
 public:
  static constexpr unsigned kThreads = 4;

  BroadcastBody()
      : broadcaster_(std::in_place, 1),
        subscriber_(broadcaster_->subscribe()),
        second_subscriber_(broadcaster_->subscribe()),
        first_(*new Tasklet(receive_all(*this), 1, destroyed_[0])),
        second_(*new Tasklet(receive_once(*this), 2, destroyed_[1])) {}

  void thread(unsigned index) override {
    if (index == 0) first_.run();
    if (index == 1) second_.run();
    if (index == 2) send_all();
    if (index != 3) return;
    sched::cancel(second_);
    second_.release();
  }

  void finish() override {
    for (const int destroyed : destroyed_) require(destroyed == 1, "each task is destroyed exactly once");
    require(received_ == kValues, "each value was received or counted as lost");
    require(!subscriber_.try_receive(), "no value is received twice");
    static_cast<void>(second_subscriber_.receive());  // requires that no task waits there
  }

 private:
  static constexpr int kValues = 2;

  void send_all() {
    for (int value = 1; value <= kValues; ++value) {
      data_[value - 1] = value;
      broadcaster_->send(value);
    }
    broadcaster_.reset();
  }

  static Routine receive_all(BroadcastBody& self) {
    int last = 0;
    for (;;) {
      const std::optional<Delivery<int>> next = co_await self.subscriber_.receive();
      if (!next) break;
      last = *next->value;
      self.kept_[0][last - 1] = next->value;
      self.received_ += 1 + static_cast<int>(next->lost);
      require(last == self.received_, "values keep their order");
      require(self.data_[last - 1] == last, "a subscriber sees what was written before its value was sent");
    }
    require(last == kValues, "a subscriber receives the last value before the end");
  }

  static Routine receive_once(BroadcastBody& self) {
    try {
      const std::optional<Delivery<int>> next = co_await self.second_subscriber_.receive();
      require(next && *next->value == 1 + static_cast<int>(next->lost), "the values come before the end");
      self.kept_[1][0] = next->value;
    } catch (const Cancelled&) {  // decided: a cancelled receive takes no value
    }
  }

  std::array<std::array<std::shared_ptr<const int>, kValues>, 2> kept_;  // by each task
  std::optional<Broadcaster<int>> broadcaster_;
  Subscriber<int> subscriber_;
  Subscriber<int> second_subscriber_;
  std::array<int, kValues> data_{};  // each written before its value is sent
  int received_ = 0;
  std::array<int, 2> destroyed_{};
  Tasklet& first_;
  Tasklet& second_;
};

}  // namespace volt::model
