// SPDX-License-Identifier: MIT

// Topics: publish and subscribe, for WebSockets, event streams and tasks of the service itself.
//
//   struct Line { std::string name; std::string text; };
//   app.state<Topics<Line>>();
//
//   Task<> chat(WebSocket& socket, Path<std::string> room, Query<Visitor> who, State<Topics<Line>> rooms) {
//     auto lines = co_await rooms->subscribe(*room, {.member = who->name, .after = who->after, .presence = true});
//     co_await serve(socket, lines, [&](WebSocket::Message said) -> Task<> {
//       co_await rooms->publish(*room, {who->name, std::move(said.data)});
//     });
//   }
//   Task<> events(EventStream& out, State<Topics<Line>> rooms) {
//     auto lines = co_await rooms->subscribe("lobby", {.after = out.last_event_id()});
//     co_await serve(out, lines);
//   }
//
// A topic exists as soon as it is named. Its messages are numbered, and the last TopicOptions::history_max are kept: a
// client that reconnects with the id of its last message gets those after it. If some are no longer kept, it gets a gap
// first. No message is lost silently.
//
// A message is encoded once, whatever the number of subscribers. It waits for slow subscribers in one ring for all of
// them, of TopicOptions::queue_max messages; SlowSubscriber says what happens to a subscriber that falls further
// behind.
//
// Without a backend, topics connect the subscribers of one process, and a restart of the process begins them at 1
// again. With topics::PgTopics or topics::RedisTopics (topics/pg_topics.h, topics/redis_topics.h), all processes of a
// service share messages, numbers and members:
//
//   app.state(Topics<Line>({}, std::make_shared<topics::RedisTopics>(redis)));
//
// T is a type with a JSON form (http/json/json.h), std::string, or std::vector<std::byte>; the latter needs
// TopicFormat::plain.
//
// Threads: any task. Lifetime: a handle to shared state, which must outlive its subscriptions; as state of the app it
// does. A copy, for a background task, has the same topics. Must not be used by two Runtimes. Errors: those of the
// backend; std::invalid_argument for names that are empty, longer than 200 bytes, not UTF-8 or with NUL;
// std::length_error for a message beyond message_bytes_max, and for topics beyond topics_max.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "http/json/json.h"
#include "http/topics/serve.h"
#include "http/topics/topic_backend.h"
#include "http/topics/topic_options.h"
#include "http/topics/topic_subscription.h"
#include "runtime/task.h"

namespace volt::http {

namespace topics {

class Hub;

using Bytes = std::vector<std::byte>;

template <class T>
inline constexpr DataKind kKindOf = std::is_same_v<T, std::string> ? DataKind::text
                                    : std::is_same_v<T, Bytes>     ? DataKind::bytes
                                                                   : DataKind::json;

// Topics, whatever the type of their messages.
class AnyTopics {
 public:
  AnyTopics(const TopicOptions& options, DataKind kind, std::shared_ptr<TopicBackend> backend);

  [[nodiscard]] Task<TopicPosition> publish(std::string topic, std::string data) const;
  [[nodiscard]] Task<TopicSubscription> subscribe(std::string topic, SubscribeOptions options) const;
  [[nodiscard]] Task<std::vector<std::string>> members(std::string topic) const;
  [[nodiscard]] std::size_t subscribers(const std::string& topic) const;

 private:
  std::shared_ptr<Hub> hub_;  // of all copies; stopped with the last one
};

}  // namespace topics

template <class T>
class Topics {
  static_assert(std::is_same_v<T, std::remove_cvref_t<T>>, "the messages of Topics are values: Topics<Line>");

 public:
  using Shareable = void;  // handlers share it: it does its own locking

  // Without a backend, the topics are those of this process. Throws std::invalid_argument if queue_max or topics_max is
  // 0, if the retention is negative, and for bytes that are to be numbered.
  explicit Topics(const TopicOptions& options = {}, std::shared_ptr<TopicBackend> backend = nullptr)
      : any_(options, topics::kKindOf<T>, std::move(backend)) {}

  // Publishes a message, and returns its position once the backend has it. The call encodes the message. Waits for
  // subscribers with SlowSubscriber::wait in this process.
  Task<TopicPosition> publish(std::string topic, const T& message) const {
    return any_.publish(std::move(topic), encode(message));
  }

  [[nodiscard]] Task<TopicSubscription> subscribe(std::string topic, SubscribeOptions options = {}) const {
    return any_.subscribe(std::move(topic), std::move(options));
  }

  // Returns the message of an event. Errors: that the data is not a T, because another version of the program has
  // published it.
  [[nodiscard]] static std::expected<T, JsonError> value(const TopicEvent& event) {
    if constexpr (topics::kKindOf<T> == topics::DataKind::text) {
      return event.data();
    } else if constexpr (topics::kKindOf<T> == topics::DataKind::bytes) {
      const auto bytes = std::as_bytes(std::span(event.data()));
      return T(bytes.begin(), bytes.end());
    } else {
      return from_json<T>(event.data());
    }
  }

  // Returns the members of a topic in all processes, each once, in ascending order.
  [[nodiscard]] Task<std::vector<std::string>> members(std::string topic) const {
    return any_.members(std::move(topic));
  }
  // Returns the number of subscriptions of a topic in this process, with and without a member.
  [[nodiscard]] std::size_t subscribers(const std::string& topic) const { return any_.subscribers(topic); }

 private:
  static std::string encode(const T& message) {
    if constexpr (topics::kKindOf<T> == topics::DataKind::text) {
      return message;
    } else if constexpr (topics::kKindOf<T> == topics::DataKind::bytes) {
      return std::string(reinterpret_cast<const char*>(message.data()), message.size());
    } else {
      return to_json(message);
    }
  }

  topics::AnyTopics any_;
};

}  // namespace volt::http
