// Bearer tokens (RFC 6750 section 2.1), from the Authorization field only: in a query they end up in logs.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "http/auth/internal/scheme.h"

namespace volt::http::auth {

// The token of an Authorization value. Nothing if the scheme is another one or no b64token follows. A view into it.
inline std::optional<std::string_view> parse_bearer(std::string_view authorization) noexcept {
  return credentials_of("bearer", authorization);
}

}  // namespace volt::http::auth
