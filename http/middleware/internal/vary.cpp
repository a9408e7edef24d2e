// SPDX-License-Identifier: MIT

#include "http/middleware/internal/vary.h"

#include "http/message/ascii.h"

namespace volt::http::middleware {
namespace {

bool lists(std::string_view value, std::string_view field_name) noexcept {
  while (!value.empty()) {
    const std::string_view element = message::take_list_element(value);
    if (element == "*" || message::equal_ignoring_case(element, field_name)) return true;
  }
  return false;
}

}  // namespace

void vary_on(Response& response, std::string_view field_name) {
  constexpr std::string_view kLineEnd = "\r\n";
  std::string_view lines = response.headers().lines();
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find(kLineEnd));
    lines.remove_prefix(line.size() + kLineEnd.size());
    const std::size_t colon = line.find(':');
    const bool is_vary = message::equal_ignoring_case(line.substr(0, colon), "vary");
    if (is_vary && lists(line.substr(colon + 1), field_name)) return;
  }
  response.add_header("Vary", field_name);
}

}  // namespace volt::http::middleware
