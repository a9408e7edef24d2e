// SPDX-License-Identifier: MIT

#include "http/message/headers.h"

#include <stdexcept>

namespace volt::http {
namespace {

constexpr std::size_t kEnd = std::string_view::npos;

struct Line {
  std::string_view name;
  std::string_view value;
  std::size_t bytes = 0;  // length in bytes, including CRLF
};

Line first_line(std::string_view lines) noexcept {
  const std::size_t colon = lines.find(':');
  const std::size_t end = lines.find("\r\n", colon);
  return {lines.substr(0, colon), lines.substr(colon + 2, end - colon - 2), end + 2};
}

// Returns the offset of the first line called `name` at or after `at`; kEnd if there is none.
std::size_t find_line(std::string_view lines, std::string_view name, std::size_t at) noexcept {
  while (at < lines.size()) {
    const Line line = first_line(lines.substr(at));
    if (message::equal_ignoring_case(line.name, name)) return at;
    at += line.bytes;
  }
  return kEnd;
}

// Returns the line of a field as a new string, because `name` and `value` may be views into the list that is about to
// change.
std::string make_line(std::string_view name, std::string_view value) {
  require_field(name, value);
  std::string line;
  line.reserve(name.size() + value.size() + 4);
  line.append(name).append(": ").append(value).append("\r\n");
  return line;
}

}  // namespace

bool Fields::lists(std::string_view name, std::string_view token) const noexcept {
  for (std::string_view list : all(name)) {
    while (!list.empty()) {
      if (message::equal_ignoring_case(message::take_list_element(list), token)) return true;
    }
  }
  return false;
}

void require_field(std::string_view name, std::string_view value) {
  if (!message::is_token(name)) throw std::invalid_argument("header field name is not a token");
  if (!message::is_field_value(value)) throw std::invalid_argument("header field value holds a control character");
}

void FieldList::set(std::string_view name, std::string_view value) {
  const std::string line = make_line(name, value);
  remove(name);
  lines_ += line;
}

void FieldList::add(std::string_view name, std::string_view value) { lines_ += make_line(name, value); }

void FieldList::set_all(const FieldList& other) {
  const std::string lines = other.lines_;  // a copy: `other` may be this list
  for (std::string_view left = lines; !left.empty(); left.remove_prefix(first_line(left).bytes)) {
    remove(first_line(left).name);
  }
  lines_ += lines;
}

bool FieldList::remove(std::string_view name) {
  bool removed = false;
  for (std::size_t at = find_line(lines_, name, 0); at != kEnd; at = find_line(lines_, name, at)) {
    lines_.erase(at, first_line(std::string_view(lines_).substr(at)).bytes);
    removed = true;
  }
  return removed;
}

std::optional<std::string_view> FieldList::find(std::string_view name) const noexcept {
  const std::size_t at = find_line(lines_, name, 0);
  if (at == kEnd) return std::nullopt;
  return first_line(std::string_view(lines_).substr(at)).value;
}

}  // namespace volt::http
