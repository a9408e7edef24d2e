// SPDX-License-Identifier: MIT

// TopicOptions: the limits of Topics (http/topics/topics.h). SubscribeOptions: what one subscriber wants.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace volt::http {

// The treatment of a subscriber for which TopicOptions::queue_max messages wait when another one is published.
enum class SlowSubscriber : std::uint8_t {
  drop_oldest,  // The oldest message that waits is dropped, and the subscriber gets a gap with the number of them.
  close,        // The subscription ends. serve() then closes the WebSocket with 1013, so that the client reconnects.
  // publish() of the same process waits until the subscriber has room. Messages of other processes, and joins and
  // leaves of members, do not wait: if there is no room, the oldest message is dropped as with drop_oldest. Without a
  // backend, a message of publish() never displaces another one. With a backend, a message counts only from the time at
  // which the backend delivers it to this process, which may be after publish() has returned. If more messages are on
  // their way than there is room for, because several tasks publish at once or the backend delivers late, the oldest
  // ones are dropped.
  wait,
};

// The form in which serve() sends messages over a WebSocket.
enum class TopicFormat : std::uint8_t {
  // Text: {"id":"5f3a90c1-17","data":..}, {"gap":3} or {"gap":null}, {"joined":"ann"}, {"left":"ann"}. A client that
  // reconnects passes the last id on, and misses nothing.
  numbered,
  // The message alone: its JSON, a std::string as it is, bytes as a binary message. A gap closes the WebSocket with
  // 1013, because the client cannot be told about it in another way. Joins and leaves are not sent.
  plain,
};

namespace topics {

// The form in which messages are written as bytes.
enum class DataKind : std::uint8_t {
  json,   // a JSON document
  text,   // a std::string: UTF-8
  bytes,  // a std::vector<std::byte>
};

}  // namespace topics

struct TopicOptions {
  TopicFormat format = TopicFormat::numbered;
  // Messages that wait for one subscriber; at least 1. A topic with subscribers keeps so many of its last messages in
  // memory, a topic without them only history_max.
  std::size_t queue_max = 256;
  std::size_t history_max = 64;                              // last messages of a topic that are kept for replay
  std::size_t message_bytes_max = std::size_t{64} * 1024;    // of an encoded message
  std::size_t topics_max = 10'000;                           // topics in the memory of this process
  std::chrono::seconds retention = std::chrono::minutes(5);  // how long the messages of an unused topic are kept
  std::size_t announced_members_max = 100;  // larger topics announce neither joins nor leaves: n members that join one
                                            // after the other would cost n * n / 2 announcements
};

struct SubscribeOptions {
  // Name under which the subscriber is present in the topic; empty: it is not. At most 200 bytes of UTF-8 without NUL.
  std::string member = {};
  // Id of the last message that the client has received (Last-Event-ID): the messages after it are replayed. If they
  // are no longer kept, or the id is unknown, a gap comes first, then all messages that are kept. Empty: no replay.
  std::string after = {};
  std::size_t last = 0;   // without `after`: replays so many messages, as far as they are kept
  bool presence = false;  // whether the subscriber receives the joins and leaves of members
  SlowSubscriber slow = SlowSubscriber::drop_oldest;
};

}  // namespace volt::http
