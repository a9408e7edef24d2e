// SPDX-License-Identifier: MIT

// Which messages a topic keeps alive.
#include "http/topics/internal/topic.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace volt::http::topics {
namespace {

constexpr TopicOptions kOptions{.queue_max = 8, .history_max = 2};
constexpr MessageFormat kText{.kind = DataKind::text};

using Published = std::vector<std::weak_ptr<const EncodedMessage>>;

bool publish(Topic& topic) {
  std::string data = "a message";
  return topic.try_publish(data).has_value();
}

// Publishes messages and returns them. A subscriber that comes and goes finds each in the history.
Published publish(Topic& topic, int count) {
  Published published;
  for (int i = 0; i != count; ++i) {
    REQUIRE(publish(topic));
    published.emplace_back(topic.begin({.last = 1}, nullptr).replayed.at(0));
    topic.end(nullptr);
  }
  return published;
}

std::size_t alive(const Published& published) {
  return static_cast<std::size_t>(
      std::ranges::count_if(published, [](const auto& message) { return !message.expired(); }));
}

// Returns the number of the next message that waits for the subscriber; 0 if none does.
std::uint64_t next_number(Beginning& subscriber) {
  const std::optional<Delivery<Entry>> delivery = subscriber.live.try_receive();
  return delivery && delivery->lost == 0 ? delivery->value->message->position().sequence : 0;
}

}  // namespace

TEST_SUITE_BEGIN("http/topics/internal/topic");

TEST_CASE("a topic without subscribers keeps history_max messages") {
  Topic topic("t", kOptions, kText, {.epoch = 1});
  const Published published = publish(topic, 5);
  CHECK(alive(published) == kOptions.history_max);
  CHECK(!published.back().expired());
}

TEST_CASE("a topic frees the messages that waited for subscribers when the last subscriber has ended") {
  Topic topic("t", kOptions, kText, {.epoch = 1});
  std::optional<Beginning> first(topic.begin({}, nullptr));
  std::optional<Beginning> second(topic.begin({}, nullptr));
  const Published published = publish(topic, 5);
  topic.end(nullptr);
  first.reset();
  CHECK(alive(published) == 5);
  CHECK(next_number(*second) == 1);
  topic.end(nullptr);
  second.reset();
  CHECK(alive(published) == kOptions.history_max);
}

TEST_CASE("a subscriber after a time without subscribers receives each message from then on, and publishers wait") {
  Topic topic("t", kOptions, kText, {.epoch = 1});
  publish(topic, 3);
  Progress progress;
  Beginning subscriber = topic.begin({.slow = SlowSubscriber::wait}, &progress);
  CHECK(next_number(subscriber) == 0);
  for (std::size_t i = 0; i != kOptions.queue_max; ++i) CHECK(publish(topic));
  CHECK_FALSE(publish(topic));
  CHECK(next_number(subscriber) == 4);
  topic.advance(progress, 1);
  CHECK(publish(topic));
  for (std::uint64_t number = 5; number != 5 + kOptions.queue_max; ++number) CHECK(next_number(subscriber) == number);
  topic.end(&progress);
}

TEST_SUITE_END();

}  // namespace volt::http::topics
