// SPDX-License-Identifier: MIT

#include "http/message/cache_control.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "http/message/ascii.h"
#include "http/message/parameters.h"

namespace volt::http::message {
namespace {

struct Directive {
  std::string_view name;
  std::string_view value;
};

Directive split_directive(std::string_view element) noexcept {
  const std::size_t equals = element.find('=');
  if (equals == std::string_view::npos) return {.name = element, .value = {}};
  std::string_view value = trim_ows(element.substr(equals + 1));
  // Section 5.2: a recipient also accepts the quoted form of a value.
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  return {.name = trim_ows(element.substr(0, equals)), .value = value};
}

}  // namespace

std::optional<std::chrono::seconds> parse_delta_seconds(std::string_view text) noexcept {
  constexpr std::int64_t kSecondsMax = std::int64_t{1} << 31;
  if (text.empty() || !std::ranges::all_of(text, is_digit)) return std::nullopt;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  return std::chrono::seconds(error == std::errc() ? std::min(seconds, kSecondsMax) : kSecondsMax);
}

void CacheControl::add(std::string_view line) noexcept {
  const struct {
    std::string_view name;
    bool CacheControl::* flag;
  } flags[] = {
      {"no-store", &CacheControl::no_store},
      {"no-cache", &CacheControl::no_cache},
      {"private", &CacheControl::is_private},
      {"public", &CacheControl::is_public},
      {"must-revalidate", &CacheControl::must_revalidate},
      {"proxy-revalidate", &CacheControl::proxy_revalidate},
      {"only-if-cached", &CacheControl::only_if_cached},
  };
  const struct {
    std::string_view name;
    std::optional<std::chrono::seconds> CacheControl::* time;
  } times[] = {
      {"max-age", &CacheControl::max_age},
      {"s-maxage", &CacheControl::s_maxage},
      {"stale-while-revalidate", &CacheControl::stale_while_revalidate},
      {"stale-if-error", &CacheControl::stale_if_error},
  };
  while (!line.empty()) {
    const Directive directive = split_directive(take_quoted_list_element(line));
    for (const auto& [name, flag] : flags) {
      if (equal_ignoring_case(directive.name, name)) this->*flag = true;
    }
    for (const auto& [name, time] : times) {
      if (!equal_ignoring_case(directive.name, name)) continue;
      const std::chrono::seconds given = parse_delta_seconds(directive.value).value_or(std::chrono::seconds(0));
      this->*time = (this->*time) ? std::min(*(this->*time), given) : given;
    }
  }
}

}  // namespace volt::http::message
