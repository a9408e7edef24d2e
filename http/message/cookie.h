// SPDX-License-Identifier: MIT

// Reads the Cookie field: `name=value; other=value` (RFC 6265 section 4.2). Deviations from the grammar are tolerated,
// as other servers do.
//
// A semicolon always ends a pair, even inside quotes. If quotes could hide a semicolon, an attacker could make a server
// read a protected cookie as part of another cookie's value. White space around names and values is dropped. A pair of
// quotes around a whole value is dropped too; the grammar allows such quotes, but SetCookie never writes them. A pair
// without '=' or without a name is skipped, because the text that a browser sends for a nameless cookie can look like a
// named cookie. Nothing is percent-decoded.
//
// Threads: values. Lifetime: views into the field value. Time is linear in the field value, and nothing is allocated.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>

namespace volt::http::message {

struct CookiePair {
  std::string_view name;  // case-sensitive; not empty
  std::string_view value;

  bool operator==(const CookiePair&) const = default;
};

// The pairs of one Cookie line, as a range: `for (const auto& [name, value] : CookiePairs(line))`.
class CookiePairs {
 public:
  class Iterator;

  explicit CookiePairs(std::string_view line) noexcept : line_(line) {}
  Iterator begin() const noexcept;
  static std::default_sentinel_t end() noexcept { return {}; }

 private:
  std::string_view line_;
};

class CookiePairs::Iterator {
 public:
  using value_type = CookiePair;
  using difference_type = std::ptrdiff_t;

  explicit Iterator(std::string_view line) noexcept : rest_(line) { ++*this; }
  const CookiePair& operator*() const noexcept { return *pair_; }
  const CookiePair* operator->() const noexcept { return &*pair_; }
  Iterator& operator++() noexcept;
  void operator++(int) noexcept { ++*this; }
  bool operator==(std::default_sentinel_t) const noexcept { return !pair_; }

 private:
  std::string_view rest_;
  std::optional<CookiePair> pair_;
};

inline CookiePairs::Iterator CookiePairs::begin() const noexcept { return Iterator(line_); }

// Returns the value of the first cookie called `name` in `line`. Browsers send the cookie with the longest path first.
std::optional<std::string_view> find_cookie(std::string_view line, std::string_view name) noexcept;

// Returns the value of the first cookie called `name` in all Cookie lines of a request, such as Fields::all("cookie").
template <class Lines>
  requires requires(const Lines& lines) { std::string_view(*lines.begin()); }
std::optional<std::string_view> find_cookie(const Lines& lines, std::string_view name) noexcept {
  for (const std::string_view line : lines) {
    if (const auto value = find_cookie(line, name)) return value;
  }
  return std::nullopt;
}

}  // namespace volt::http::message
