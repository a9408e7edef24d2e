// SPDX-License-Identifier: MIT

// Builds Fields, which is a view, from name-value pairs in a test.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "http/message/headers.h"

namespace volt::http {

class FieldsOf {
 public:
  FieldsOf(std::initializer_list<std::pair<std::string, std::string>> fields) {
    for (const auto& [name, value] : fields) add(name, value);
  }

  void add(const std::string& name, const std::string& value) {
    const auto begin = static_cast<std::uint32_t>(head_.size());
    const auto name_bytes = static_cast<std::uint32_t>(name.size());
    head_ += name + value;
    spans_.push_back({begin, name_bytes, begin + name_bytes, static_cast<std::uint32_t>(value.size())});
  }

  Fields view() const { return {head_.data(), spans_}; }

 private:
  std::string head_;
  std::vector<message::FieldSpan> spans_;
};

}  // namespace volt::http
