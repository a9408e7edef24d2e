// SPDX-License-Identifier: MIT

// A cached response as bytes, for stores outside the process.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/middleware/cache_store.h"

namespace volt::stores {

[[nodiscard]] std::string encode_response(const http::CachedResponse& response);

// Returns nothing for bytes of another format, for example of another version of Volt.
[[nodiscard]] std::optional<http::CachedResponse> decode_response(std::string_view bytes);

}  // namespace volt::stores
