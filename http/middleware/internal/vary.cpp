// SPDX-License-Identifier: MIT

#include "http/middleware/internal/vary.h"

#include "http/message/ascii.h"
#include "http/middleware/internal/field_lines.h"

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
  bool listed = false;
  for_each_field(response.headers(), [&](std::string_view name, std::string_view value) {
    listed = listed || (message::equal_ignoring_case(name, "vary") && lists(value, field_name));
  });
  if (!listed) response.add_header("Vary", field_name);
}

}  // namespace volt::http::middleware
