// SPDX-License-Identifier: MIT

// Calls a function with each field of a list, in order.
#pragma once

#include <string_view>

#include "http/message/headers.h"

namespace volt::http::middleware {

// Calls `use(name, value)`. The views are valid until the list changes.
template <class Use>
void for_each_field(const FieldList& fields, Use use) {
  constexpr std::string_view kLineEnd = "\r\n";
  std::string_view lines = fields.lines();
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find(kLineEnd));
    lines.remove_prefix(line.size() + kLineEnd.size());
    const std::size_t colon = line.find(": ");
    use(line.substr(0, colon), line.substr(colon + 2));
  }
}

}  // namespace volt::http::middleware
