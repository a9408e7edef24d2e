// SPDX-License-Identifier: MIT

#include "http/message/server_event.h"

#include <stdexcept>

namespace volt::http::message {
namespace {

// Throws std::invalid_argument unless `text` is a single line without NUL. Clients would ignore an id that contains
// NUL.
void require_line(std::string_view text) {
  constexpr std::string_view kRefused("\r\n\0", 3);
  if (text.find_first_of(kRefused) != std::string_view::npos) {
    throw std::invalid_argument("an event's type or id holds CR, LF or NUL");
  }
}

// Appends one field. Clients remove one space after the colon. The space is always written, so that a space at the
// beginning of the value is kept.
void append_field(std::string_view name, std::string_view value, std::string& out) {
  out.append(name).append(": ").append(value).append("\n");
}

// Removes the first line from `text` and returns it. A line ends with CR LF, LF or CR.
std::string_view take_line(std::string_view& text) noexcept {
  const std::size_t end = text.find_first_of("\r\n");
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(line.size());
  text.remove_prefix(text.starts_with("\r\n") ? 2 : 1);
  return line;
}

void append_lines(std::string_view name, std::string_view text, std::string& out) {
  while (text.find_first_of("\r\n") != std::string_view::npos) append_field(name, take_line(text), out);
  append_field(name, text, out);
}

}  // namespace

void append_event(const ServerEvent& event, std::string& out) {
  require_line(event.event);
  require_line(event.id.value_or(""));
  if (event.retry && event.retry->count() < 0) throw std::invalid_argument("an event's retry is negative");
  if (!event.event.empty()) append_field("event", event.event, out);
  if (event.id) append_field("id", *event.id, out);
  if (event.retry) append_field("retry", std::to_string(event.retry->count()), out);
  if (event.data || !event.event.empty()) append_lines("data", event.data.value_or(""), out);
  out += '\n';
}

void append_comment(std::string_view text, std::string& out) {
  append_lines("", text, out);
  out += '\n';
}

}  // namespace volt::http::message
