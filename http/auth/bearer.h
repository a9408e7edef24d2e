// SPDX-License-Identifier: MIT

// Bearer tokens (RFC 6750 section 2.1) of the Authorization field only, since tokens in a query are written to logs.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "http/auth/internal/scheme.h"

namespace volt::http::auth {

// The token of an Authorization value, as a view into it. Empty if the scheme is another one or no b64token follows.
inline std::optional<std::string_view> parse_bearer(std::string_view authorization) noexcept {
  return credentials_of("bearer", authorization);
}

}  // namespace volt::http::auth
