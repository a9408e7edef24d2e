// SPDX-License-Identifier: MIT

// oneshot: three bodies for the ways in which its two ends interact.
#pragma once

#include <array>
#include <optional>
#include <utility>

#include "runtime/oneshot.h"
#include "runtime/select.h"
#include "tests/model/bodies/tasks.h"

namespace volt::model {

// A value is sent to a receiver that is cancelled at some point.
class OneshotCancelBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  OneshotCancelBody() : ends_(oneshot<int>()) { receiver_ = new Tasklet(receive(*this), 2, destroyed_); }

  void thread(unsigned index) override {
    if (index == 0) receiver_->run();
    if (index == 1) require(std::move(ends_.first).send(7), "the receiver's end exists");
    if (index != 2) return;
    sched::cancel(*receiver_);
    receiver_->release();
  }

  void finish() override {
    require(destroyed_ == 1, "the task is destroyed exactly once");
    if (!got_) got_ = ends_.second.try_receive();
    require(got_ == 7, "a cancelled receive takes no value");
  }

 private:
  static Routine receive(OneshotCancelBody& self) {
    try {
      self.got_ = co_await self.ends_.second.receive();
    } catch (const Cancelled&) {  // decided: finish() looks for the value
    }
  }

  std::pair<OneshotSender<int>, OneshotReceiver<int>> ends_;
  std::optional<int> got_;
  int destroyed_ = 0;
  Tasklet* receiver_;
};

// One sender sends, while its receiver is destroyed; another sender is destroyed without sending, while its receiver
// waits. Each state must be freed exactly once.
class OneshotEndsBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  OneshotEndsBody() : one_(oneshot<int>()), two_(oneshot<int>()) {
    receiver_ = new Tasklet(receive_both(*this), 1, destroyed_);
  }

  void thread(unsigned index) override {
    if (index == 0) receiver_->run();
    if (index == 1) sent_ = std::move(*one_.first).send(7);
    if (index == 2) two_.first.reset();
  }

  void finish() override {
    require(destroyed_ == 1, "the task is destroyed exactly once");
    require(got_ ? sent_ : true, "a received value was sent");
    require(!nothing_, "a sender that was destroyed has sent no value");
  }

 private:
  struct Ends {
    explicit Ends(std::pair<OneshotSender<int>, OneshotReceiver<int>> ends)
        : first(std::move(ends.first)), second(std::move(ends.second)) {}
    std::optional<OneshotSender<int>> first;
    std::optional<OneshotReceiver<int>> second;
  };

  static Routine receive_both(OneshotEndsBody& self) {
    self.got_ = self.one_.second->try_receive();
    self.one_.second.reset();
    self.nothing_ = co_await self.two_.second->receive();
    self.two_.second.reset();
  }

  Ends one_;
  Ends two_;
  bool sent_ = false;
  std::optional<int> got_;
  std::optional<int> nothing_;
  int destroyed_ = 0;
  Tasklet* receiver_;
};

// Two values are sent to a receiver that waits with select().
class OneshotSelectBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  OneshotSelectBody() : one_(oneshot<int>()), two_(oneshot<int>()) {
    receiver_ = new Tasklet(receive_either(*this), 1, destroyed_);
  }

  void thread(unsigned index) override {
    if (index == 0) receiver_->run();
    if (index == 1) require(std::move(one_.first).send(1), "the receiver's end exists");
    if (index == 2) require(std::move(two_.first).send(2), "the receiver's end exists");
  }

  void finish() override {
    require(destroyed_ == 1, "the task is destroyed exactly once");
    const std::optional<int> other = won_ == 1 ? two_.second.try_receive() : one_.second.try_receive();
    require(won_ + other.value_or(0) == 3, "one value was received, the other is still there");
  }

 private:
  static Routine receive_either(OneshotSelectBody& self) {
    auto one = self.one_.second.receive();
    auto two = self.two_.second.receive();
    const auto chosen = co_await select(one, two);
    self.won_ = (chosen.index() == 0 ? std::get<0>(chosen) : std::get<1>(chosen)).value_or(0);
  }

  std::pair<OneshotSender<int>, OneshotReceiver<int>> one_;
  std::pair<OneshotSender<int>, OneshotReceiver<int>> two_;
  int won_ = 0;
  int destroyed_ = 0;
  Tasklet* receiver_;
};

}  // namespace volt::model
