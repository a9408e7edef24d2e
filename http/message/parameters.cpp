// SPDX-License-Identifier: MIT

#include "http/message/parameters.h"

#include <algorithm>
#include <cstddef>

#include "http/message/ascii.h"

namespace volt::http::message {
namespace {

constexpr std::size_t kNotClosed = std::string_view::npos;

// Returns the position of the quote that closes the quoted string beginning at `open`.
std::size_t closing_quote(std::string_view text, std::size_t open) noexcept {
  for (std::size_t at = open + 1; at < text.size(); ++at) {
    if (text[at] == '"') return at;
    if (text[at] == '\\') ++at;
  }
  return kNotClosed;
}

std::size_t token_bytes(std::string_view text) noexcept {
  std::size_t bytes = 0;
  while (bytes < text.size() && kTokenChars.contains(text[bytes])) ++bytes;
  return bytes;
}

void skip_ows(std::string_view& text) noexcept {
  while (!text.empty() && is_ows(text.front())) text.remove_prefix(1);
}

std::string_view take_token(std::string_view& text) noexcept {
  const std::string_view token = text.substr(0, token_bytes(text));
  text.remove_prefix(token.size());
  return token;
}

}  // namespace

std::optional<Parameter> Parameters::fail() noexcept {
  malformed_ = true;
  rest_ = {};
  return std::nullopt;
}

std::optional<Parameter> Parameters::next() noexcept {
  skip_ows(rest_);
  if (rest_.empty()) return std::nullopt;
  if (rest_.front() != ';') return fail();
  while (!rest_.empty() && (rest_.front() == ';' || is_ows(rest_.front()))) rest_.remove_prefix(1);
  if (rest_.empty()) return std::nullopt;

  Parameter parameter{.name = take_token(rest_), .value = {}};
  if (parameter.name.empty() || !rest_.starts_with('=')) return fail();
  rest_.remove_prefix(1);
  if (!rest_.starts_with('"')) {
    parameter.value = take_token(rest_);
    return parameter.value.empty() ? fail() : parameter;
  }
  const std::size_t close = closing_quote(rest_, 0);
  if (close == kNotClosed) return fail();
  parameter.quoted = true;
  parameter.value = rest_.substr(1, close - 1);
  rest_.remove_prefix(close + 1);
  return is_field_value(parameter.value) ? parameter : fail();
}

std::string without_escapes(std::string_view quoted) {
  std::string text;
  text.reserve(quoted.size());
  for (std::size_t at = 0; at < quoted.size(); ++at) {
    if (quoted[at] == '\\' && at + 1 < quoted.size()) ++at;
    text += quoted[at];
  }
  return text;
}

std::string_view take_quoted_list_element(std::string_view& list) noexcept {
  std::size_t at = 0;
  while (at < list.size() && list[at] != ',') {
    if (list[at] == '"') at = std::min(closing_quote(list, at), list.size() - 1);
    ++at;
  }
  const std::string_view element = trim_ows(list.substr(0, at));
  list.remove_prefix(std::min(at + 1, list.size()));
  return element;
}

}  // namespace volt::http::message
