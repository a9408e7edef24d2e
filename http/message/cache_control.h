// SPDX-License-Identifier: MIT

// The Cache-Control field of requests and responses (RFC 9111 section 5.2, RFC 5861).
//
// Threads: a value.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace volt::http::message {

struct CacheControl {
  // Reads the directives of one field line, in addition to those read before. Of a directive that is repeated, the
  // stricter value counts; a time that is not a number is zero (RFC 9111 section 4.2.1: such a response is stale).
  // Unknown directives are ignored. `private` and `no-cache` with field names count as without (sections 5.2.2.4, 7).
  void add(std::string_view line) noexcept;

  bool no_store = false;
  bool no_cache = false;
  bool is_private = false;
  bool is_public = false;
  bool must_revalidate = false;
  bool proxy_revalidate = false;
  bool only_if_cached = false;
  std::optional<std::chrono::seconds> max_age;
  std::optional<std::chrono::seconds> s_maxage;
  std::optional<std::chrono::seconds> stale_while_revalidate;
  std::optional<std::chrono::seconds> stale_if_error;
};

// Returns a number of seconds, at most 2^31 (RFC 9111 section 1.2.2); nullopt for any other text.
[[nodiscard]] std::optional<std::chrono::seconds> parse_delta_seconds(std::string_view text) noexcept;

}  // namespace volt::http::message
