// SPDX-License-Identifier: MIT

#include "http/testing/internal/html_input.h"

#include <array>
#include <charconv>
#include <utility>

#include "http/message/ascii.h"

namespace volt::http::testing {
namespace {

using message::equal_ignoring_case;

constexpr bool is_html_space(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

// Returns the character of a reference, without '&' and ';'.
std::optional<char> referenced(std::string_view name) noexcept {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNames = {
      {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}}};
  for (const auto& [known, character] : kNames) {
    if (name == known) return character;
  }
  if (!name.starts_with('#')) return std::nullopt;
  name.remove_prefix(1);
  const bool is_hex = name.starts_with('x') || name.starts_with('X');
  if (is_hex) name.remove_prefix(1);
  unsigned number = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), number, is_hex ? 16 : 10);
  const bool whole = read.ec == std::errc() && read.ptr == name.data() + name.size();
  return whole && number > 0 && number < 0x80 ? std::optional(static_cast<char>(number)) : std::nullopt;
}

std::string decode_references(std::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    const std::size_t semicolon = text.front() == '&' ? text.find(';') : std::string_view::npos;
    const auto character =
        semicolon == std::string_view::npos ? std::nullopt : referenced(text.substr(1, semicolon - 1));
    decoded += character.value_or(text.front());
    text.remove_prefix(character ? semicolon + 1 : 1);
  }
  return decoded;
}

// Removes the characters before the first one of which `ends` is true from the front of `text` and returns them.
template <class Predicate>
std::string_view take_while_not(std::string_view& text, Predicate ends) noexcept {
  std::size_t length = 0;
  while (length < text.size() && !ends(text[length])) ++length;
  const std::string_view taken = text.substr(0, length);
  text.remove_prefix(length);
  return taken;
}

void skip_spaces(std::string_view& text) noexcept {
  static_cast<void>(take_while_not(text, [](char c) { return !is_html_space(c); }));
}

std::string_view take_value(std::string_view& text) noexcept {
  skip_spaces(text);
  if (!text.starts_with('=')) return {};
  text.remove_prefix(1);
  skip_spaces(text);
  const char quote = text.starts_with('"') || text.starts_with('\'') ? text.front() : '\0';
  if (quote == '\0') return take_while_not(text, [](char c) { return is_html_space(c) || c == '>'; });
  text.remove_prefix(1);
  const std::string_view value = take_while_not(text, [quote](char c) { return c == quote; });
  if (!text.empty()) text.remove_prefix(1);
  return value;
}

struct Input {
  std::string_view name;
  std::string_view value;
};

// Reads the attributes of an element from the front of `text`, which begins after the element's name.
Input take_attributes(std::string_view& text) noexcept {
  Input input;
  for (;;) {
    static_cast<void>(take_while_not(text, [](char c) { return !is_html_space(c) && c != '/'; }));
    if (text.empty() || text.front() == '>') return input;
    const std::string_view first = text.substr(0, 1);  // the first character of a name may be '='
    text.remove_prefix(1);
    const std::string_view rest =
        take_while_not(text, [](char c) { return is_html_space(c) || c == '=' || c == '/' || c == '>'; });
    const std::string_view name(first.data(), first.size() + rest.size());
    const std::string_view value = take_value(text);
    if (equal_ignoring_case(name, "name")) input.name = value;
    if (equal_ignoring_case(name, "value")) input.value = value;
  }
}

}  // namespace

std::optional<std::string> input_value(std::string_view html, std::string_view name) {
  constexpr std::string_view kElement = "input";
  for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<')) {
    html.remove_prefix(at + 1);
    if (!equal_ignoring_case(html.substr(0, kElement.size()), kElement)) continue;
    html.remove_prefix(kElement.size());
    if (html.empty() || (!is_html_space(html.front()) && html.front() != '/' && html.front() != '>')) continue;
    const Input input = take_attributes(html);
    if (decode_references(input.name) == name) return decode_references(input.value);
  }
  return std::nullopt;
}

}  // namespace volt::http::testing
