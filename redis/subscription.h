// SPDX-License-Identifier: MIT

// Subscription: the messages of channels, on a connection of its own, which is reconnected when it ends.
//
//   redis::Subscription chat = co_await redis.subscribe({"chat"});
//   for (;;) {
//     const redis::Message message = co_await chat.next();
//     switch (message.kind) {
//       case redis::Message::Kind::text: show(message.text); break;
//       case redis::Message::Kind::lost: break;                      // messages are missed from here ..
//       case redis::Message::Kind::back: co_await reload(); break;   // .. to here
//     }
//   }
//
// Redis stores no messages: a subscriber that is not connected misses them. So the consumer is told when the connection
// is lost, and when all channels are subscribed to again.
//
// At most PoolOptions::subscription_queue_max messages wait for the consumer. While the queue is full, nothing is read
// from the connection. A server whose buffer for the connection is full then closes it (client-output-buffer-limit), so
// a consumer that is too slow gets `lost` and `back`.
//
// Threads: next() is awaited by one task at a time; add() and remove() may be called from any thread. Lifetime: a
// resource, independent of its pool. Destroying it ends the connection. Cancellation: a cancelled next() takes nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/channel.h"
#include "runtime/task.h"

namespace volt::redis {

namespace internal {
class Listener;
}

struct Message {
  enum class Kind : std::uint8_t {
    text,  // a message
    lost,  // the connection was lost: messages are missed until `back`
    back,  // the server has confirmed all subscriptions again
  };
  Kind kind = Kind::text;
  std::string channel = {};
  std::string pattern = {};  // the pattern that the channel matches; empty if the channel itself is subscribed to
  std::string text = {};     // any bytes
};

class Subscription {
 public:
  Subscription(Subscription&&) noexcept;
  Subscription& operator=(Subscription&&) noexcept;
  ~Subscription();

  // Waits for the next message. Throws Unavailable if the runtime has stopped, so that none follows.
  [[nodiscard]] Task<Message> next();

  // Subscribes to another channel, or ends the subscription of one. Returns at once: messages may begin or end to
  // arrive a little later.
  void add(const std::string& channel);
  void remove(const std::string& channel);

 private:
  friend class internal::Listener;
  Subscription(std::shared_ptr<internal::Listener> listener, Receiver<Message> messages) noexcept;

  std::shared_ptr<internal::Listener> listener_;  // null once moved from
  Receiver<Message> messages_;
};

}  // namespace volt::redis
