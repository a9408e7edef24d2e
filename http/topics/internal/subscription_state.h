// SPDX-License-Identifier: MIT

// SubscriptionState: the body of a TopicSubscription.
//
// Threads: one task at a time; the destructor, any thread.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>

#include "http/topics/internal/topic.h"
#include "http/topics/topic_subscription.h"
#include "runtime/broadcast.h"
#include "runtime/task.h"

namespace volt::http::topics {

class Hub;

// Keeps a topic in the hub.
class TopicLease {
 public:
  TopicLease(std::shared_ptr<Hub> hub, std::shared_ptr<Topic> topic) noexcept;
  TopicLease(TopicLease&&) noexcept = default;
  TopicLease& operator=(TopicLease&&) = delete;
  ~TopicLease();

  [[nodiscard]] Hub& hub() const noexcept { return *hub_; }
  [[nodiscard]] Topic& topic() const noexcept { return *topic_; }

 private:
  std::shared_ptr<Hub> hub_;  // null once moved from
  std::shared_ptr<Topic> topic_;
};

class SubscriptionState {
 public:
  SubscriptionState(TopicLease lease, SubscribeOptions options);
  ~SubscriptionState();
  SubscriptionState(const SubscriptionState&) = delete;
  SubscriptionState& operator=(const SubscriptionState&) = delete;

  [[nodiscard]] Task<std::optional<TopicEvent>> next();
  // Returns the next event if it is a message that has come and that directly follows the last one. Otherwise returns
  // null, and takes nothing from next().
  [[nodiscard]] SharedMessage try_next_message();
  [[nodiscard]] MessageFormat format() const noexcept;

 private:
  void begin();
  [[nodiscard]] SharedMessage take_following(Delivery<Entry>& delivery);
  void add(const SharedMessage& message);
  void add_gap(TopicPosition position);
  void receive(const Delivery<Entry>& delivery);
  void take(const Delivery<Entry>& delivery);
  [[nodiscard]] TopicEvent take_ready() noexcept;
  [[nodiscard]] bool waited_for() const noexcept { return options_.slow == SlowSubscriber::wait; }

  const TopicLease lease_;
  const SubscribeOptions options_;
  Progress progress_;
  std::optional<Subscriber<Entry>> live_;
  TopicPosition position_;       // of the last message that was added to `ready_` or returned
  std::list<TopicEvent> ready_;  // events before those of `live_`; an empty std::deque would hold memory
  bool too_slow_ = false;
};

}  // namespace volt::http::topics
