// SPDX-License-Identifier: MIT

#include "http/message/cookie.h"

#include <algorithm>

#include "http/message/ascii.h"

namespace volt::http::message {
namespace {

std::string_view without_quotes(std::string_view value) noexcept {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

std::optional<CookiePair> parse_pair(std::string_view text) noexcept {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view name = trim_ows(text.substr(0, equals));
  if (name.empty()) return std::nullopt;
  return CookiePair{name, without_quotes(trim_ows(text.substr(equals + 1)))};
}

}  // namespace

CookiePairs::Iterator& CookiePairs::Iterator::operator++() noexcept {
  pair_.reset();
  while (!pair_ && !rest_.empty()) {
    const std::size_t end = std::min(rest_.find(';'), rest_.size());
    pair_ = parse_pair(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
  }
  return *this;
}

std::optional<std::string_view> find_cookie(std::string_view line, std::string_view name) noexcept {
  for (const CookiePair& pair : CookiePairs(line)) {
    if (pair.name == name) return pair.value;
  }
  return std::nullopt;
}

}  // namespace volt::http::message
