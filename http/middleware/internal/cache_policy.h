// SPDX-License-Identifier: MIT

// The decisions of a shared cache (RFC 9111): which requests it may answer, which responses it may keep and for how
// long.
//
// Threads: pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "http/message/cache_control.h"
#include "http/middleware/cache_store.h"
#include "http/web/request.h"
#include "http/web/response.h"

namespace volt::http::middleware {

[[nodiscard]] message::CacheControl cache_control_of(const Request& request) noexcept;

// Whether a cache may take part at all: not for methods other than GET and HEAD, parts of a representation (Range),
// upgrades, requests with a body, and `no-store` (section 5.2.1.5).
[[nodiscard]] bool cacheable_request(const Request& request, const message::CacheControl& control) noexcept;

struct StorageRules {
  std::size_t body_bytes_max = 0;
  std::chrono::seconds default_age{0};  // of responses that say nothing; 0: such a response is not kept
};

// Why a response is not kept.
enum class NotStored : std::uint8_t {
  is_private,  // it says so, or could be: all requests of the key go to the handler for a while
  partial,     // 206, 304, 412 ..: the answer to a condition of this request only
  failed,      // 5xx: another request may succeed
};

// A response that may be kept, and the names of Vary in lower case, sorted.
struct Storable {
  CachedResponse response;  // without body and `vary`
  std::vector<std::string> vary_names;
};

// Decides by sections 3 and 4.2. The rules beyond the RFC are stricter: a response with Set-Cookie is never kept, nor
// one without an explicit lifetime, unless `default_age` gives one to a 200 for a request without Cookie and
// Authorization; no-cache and private with field names count as without.
[[nodiscard]] std::expected<Storable, NotStored> storable(const Request& request, const Response& response,
                                                          const StorageRules& rules);

enum class Freshness : std::uint8_t { fresh, stale_while_revalidate, stale_if_error, expired };

// The response's state `since_save` after its save (section 4.2, RFC 5861).
[[nodiscard]] Freshness freshness_at(const CachedResponse& response, std::chrono::nanoseconds since_save) noexcept;

}  // namespace volt::http::middleware
