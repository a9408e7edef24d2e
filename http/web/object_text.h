// SPDX-License-Identifier: MIT

// ObjectText: writes a JSON object, member by member.
//
// Threads: a value.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "http/json/append.h"

namespace volt::http::openapi {

class ObjectText {
 public:
  // Adds a member; `value` is JSON.
  ObjectText& add(std::string_view name, std::string_view value) {
    text_ += text_.empty() ? '{' : ',';
    json::append_string(name, text_);
    text_.append(1, ':').append(value);
    return *this;
  }
  ObjectText& add_text(std::string_view name, std::string_view value) {
    std::string text;
    json::append_string(value, text);
    return add(name, text);
  }
  // Adds a member, unless the value is empty.
  ObjectText& add_text_if_any(std::string_view name, std::string_view value) {
    return value.empty() ? *this : add_text(name, value);
  }

  [[nodiscard]] bool empty() const noexcept { return text_.empty(); }
  [[nodiscard]] std::string text() const { return empty() ? "{}" : text_ + '}'; }

 private:
  std::string text_;  // Without the closing brace.
};

// Appends an item to a list, after a comma unless the list is empty.
inline void append_item(std::string& list, std::string_view item) {
  if (!list.empty()) list += ',';
  list += item;
}
[[nodiscard]] inline std::string bracketed(std::string_view items) { return "[" + std::string(items) + "]"; }

}  // namespace volt::http::openapi
