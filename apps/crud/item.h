// SPDX-License-Identifier: MIT

// Item: a stored item. NewItem: an item as clients send it.
#pragma once

#include <http/validation/checked.h>

#include <algorithm>
#include <cstdint>
#include <string>

namespace crud {

struct Item {
  std::int64_t id;
  std::string name;      // unique
  int price;             // in cents
  std::int64_t version;  // 1 at first; incremented by each change
};

struct NotBlank {
  static bool holds(const std::string& text) { return text.find_first_not_of(' ') != std::string::npos; }
  static std::string sentence() { return "must not be empty"; }
};

struct NoControls {
  static bool holds(const std::string& text) {
    return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  }
  static std::string sentence() { return "must not contain control characters"; }
};

struct NewItem {
  volt::Checked<std::string, NotBlank, volt::rules::Size<0, 100>, NoControls> name;
  volt::Ranged<int, 0, 100'000'000> price;
};

}  // namespace crud
