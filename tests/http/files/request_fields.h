// SPDX-License-Identifier: MIT

// Builds the fields of a request from name-value pairs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message/headers.h"

namespace volt::http::files {

using FieldPairs = std::vector<std::pair<std::string_view, std::string_view>>;

class RequestFields {
 public:
  explicit RequestFields(const FieldPairs& pairs) {
    for (const auto& [name, value] : pairs) {
      spans_.push_back({append(name), size(name), append(value), size(value)});
    }
  }
  Fields view() const { return {head_.data(), spans_}; }

 private:
  static std::uint32_t size(std::string_view text) { return static_cast<std::uint32_t>(text.size()); }
  std::uint32_t append(std::string_view text) {
    const std::uint32_t begin = size(head_);
    head_ += text;
    return begin;
  }

  std::string head_;
  std::vector<message::FieldSpan> spans_;
};

}  // namespace volt::http::files
