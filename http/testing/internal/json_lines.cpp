// SPDX-License-Identifier: MIT

#include "http/testing/internal/json_lines.h"

#include <algorithm>
#include <cstddef>

namespace volt::http::testing {
namespace {

// Returns the size of the text, with its quotes, at the front of `json`.
std::size_t text_size(std::string_view json) noexcept {
  std::size_t size = 1;
  while (size < json.size() && json[size] != '"') size += json[size] == '\\' ? 2 : 1;
  return std::min(size + 1, json.size());
}

void new_line(std::string& lines, std::size_t depth) { lines.append("\n").append(depth * 2, ' '); }

constexpr bool is_json_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

std::string json_lines(std::string_view json) {
  std::string lines;
  std::size_t depth = 0;
  bool opened = false;  // the last character was an opening bracket
  while (!json.empty()) {
    const char c = json.front();
    const std::size_t size = c == '"' ? text_size(json) : 1;
    const std::string_view token = json.substr(0, size);
    json.remove_prefix(size);
    if (is_json_space(c)) continue;
    const bool closes = c == '}' || c == ']';
    if (closes && depth > 0) --depth;
    if (opened != closes) new_line(lines, depth);  // `[]` and `{}` stay on one line
    opened = c == '{' || c == '[';
    lines.append(token);
    if (opened) ++depth;
    if (c == ':') lines += ' ';
    if (c == ',') new_line(lines, depth);
  }
  return lines.append("\n");
}

}  // namespace volt::http::testing
