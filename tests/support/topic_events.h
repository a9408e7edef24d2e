// SPDX-License-Identifier: MIT

// The events of a subscription as texts, for tests of topics.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/topics/topics.h"
#include "runtime/task.h"

namespace volt::test {

// Describes the next event: the data of a message, or what else it is.
inline Task<std::string> next_of(http::TopicSubscription& subscription) {
  using Kind = http::TopicEvent::Kind;
  const std::optional<http::TopicEvent> event = co_await subscription.next();
  if (!event) co_return "end";
  if (event->kind == Kind::message) co_return event->data();
  if (event->kind == Kind::joined) co_return "+" + event->member;
  if (event->kind == Kind::left) co_return "-" + event->member;
  co_return "gap " + (event->lost ? std::to_string(*event->lost) : "unknown");
}

inline Task<std::vector<std::string>> next_of(http::TopicSubscription& subscription, std::size_t count) {
  std::vector<std::string> events;
  while (events.size() != count) {
    std::string event = co_await next_of(subscription);
    events.push_back(std::move(event));
  }
  co_return events;
}

}  // namespace volt::test
