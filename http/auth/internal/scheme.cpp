// SPDX-License-Identifier: MIT

#include "http/auth/internal/scheme.h"

#include <algorithm>
#include <cstddef>

#include "http/message/ascii.h"

namespace volt::http::auth {
namespace {

constexpr message::ByteSet kToken68Chars([](char c) {
  return message::is_alpha(c) || message::is_digit(c) || message::contains("-._~+/", c);
});

bool is_token68(std::string_view text) noexcept {
  while (text.ends_with('=')) text.remove_suffix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) { return kToken68Chars.contains(c); });
}

}  // namespace

std::optional<std::string_view> credentials_of(std::string_view scheme, std::string_view authorization) noexcept {
  const std::size_t space = authorization.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  if (!message::equal_ignoring_case(authorization.substr(0, space), scheme)) return std::nullopt;
  const std::size_t begin = authorization.find_first_not_of(' ', space);
  if (begin == std::string_view::npos || !is_token68(authorization.substr(begin))) return std::nullopt;
  return authorization.substr(begin);
}

}  // namespace volt::http::auth
