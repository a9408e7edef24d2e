// SPDX-License-Identifier: MIT

// The number of rows that a request wants: `?queries=N` and `?count=N`.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

namespace techempower {

inline constexpr int kCountMax = 500;

// Returns the number in `text`, clamped to 1 to 500; 1 if it is missing or not a number.
inline int clamped_count(const std::optional<std::string>& text) {
  if (!text || text->empty()) return 1;
  int count = 0;
  for (const char c : *text) {
    if (c < '0' || c > '9') return 1;
    count = std::min(count * 10 + (c - '0'), kCountMax);
  }
  return std::max(count, 1);
}

}  // namespace techempower
