// SPDX-License-Identifier: MIT

// TopicSubscription: what one subscriber of a topic receives. Topics<T>::subscribe() (http/topics/topics.h) makes it;
// serve() passes it on to a client.
//
//   while (const auto event = co_await subscription.next()) {
//     if (event->kind == TopicEvent::Kind::message) use(event->id(), event->data());
//   }
//
// The messages of a topic arrive in order and each once. Where one is missing there is a gap: because the subscriber
// was slower than the publishers by more than TopicOptions::queue_max messages, or because a backend did not keep what
// it published while this process was not connected to it.
//
// Threads: one task at a time. Lifetime: a resource; must not be moved or destroyed while
// a task waits in next(). The destructor ends the presence of its member. Cancellation: a cancelled next() takes
// nothing. Memory: nothing per waiting message, because all subscribers of a topic read one ring.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "http/topics/topic_position.h"
#include "runtime/task.h"

namespace volt::http {

class EventStream;
class WebSocket;

namespace topics {
class EncodedMessage;
class Serving;
class SubscriptionState;
}  // namespace topics

class TopicEvent {
 public:
  enum class Kind : std::uint8_t {
    message,
    gap,     // messages are missing before the next one
    joined,  // `member` has joined the topic (SubscribeOptions::presence)
    left,    // `member` has left it
  };

  Kind kind = Kind::message;
  std::optional<std::uint64_t> lost = {};  // of a gap: the number of missing messages, if it is known
  std::string member = {};

  // Of a message: its position, and its data as it was encoded by publish(). Valid as long as a copy of this object.
  [[nodiscard]] TopicPosition position() const noexcept;
  [[nodiscard]] std::string id() const { return position().to_text(); }
  [[nodiscard]] const std::string& data() const noexcept;

 private:
  friend class topics::SubscriptionState;
  friend class topics::Serving;

  std::shared_ptr<const topics::EncodedMessage> message_;  // null unless a message
};

class TopicSubscription {
 public:
  explicit TopicSubscription(std::unique_ptr<topics::SubscriptionState> state) noexcept;
  TopicSubscription(TopicSubscription&&) noexcept;
  TopicSubscription& operator=(TopicSubscription&&) noexcept;
  ~TopicSubscription();

  // Waits for the next event. Returns nullopt if the subscription has ended, because the subscriber was too slow
  // (SlowSubscriber::close).
  [[nodiscard]] Task<std::optional<TopicEvent>> next();

 private:
  friend class topics::Serving;

  std::unique_ptr<topics::SubscriptionState> state_;
};

}  // namespace volt::http
