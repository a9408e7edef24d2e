// SPDX-License-Identifier: MIT

// Bearer tokens (RFC 6750 section 2.1). Only the Authorization field is read: a token in a query would be written to
// logs.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "http/auth/internal/scheme.h"

namespace volt::http::auth {

// Returns the token of an Authorization value, as a view into it. Returns nullopt if the scheme is not Bearer or no
// b64token follows it.
inline std::optional<std::string_view> parse_bearer(std::string_view authorization) noexcept {
  return credentials_of("bearer", authorization);
}

}  // namespace volt::http::auth
