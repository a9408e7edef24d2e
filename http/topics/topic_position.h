// SPDX-License-Identifier: MIT

// TopicPosition: the place of a message in its topic. Within an epoch, the messages of a topic are numbered 1, 2, 3 and
// so on without gaps, so a missing number is a missed message. A topic that begins again at 1, because its messages
// were forgotten, has another epoch.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace volt::http {

struct TopicPosition {
  std::uint32_t epoch = 0;
  std::uint64_t sequence = 0;  // 0: before the first message

  // The text that clients receive as the id of a message, such as "5f3a90c1-17".
  [[nodiscard]] std::string to_text() const;
  // Returns nullopt if the text is not one that to_text() returns.
  [[nodiscard]] static std::optional<TopicPosition> parse(std::string_view text) noexcept;

  bool operator==(const TopicPosition&) const = default;
};

}  // namespace volt::http
