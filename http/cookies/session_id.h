// SPDX-License-Identifier: MIT

// The cookie of a session in a shared store, and the name under which the store keeps the session.
//
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace volt::http::cookies {

// Returns a new cookie value: 128 random bits as base64url.
[[nodiscard]] std::string new_session_cookie();

// Returns the base64url form of the cookie's SHA-256 digest, so that a copy of the store contains no cookie. Returns
// nullopt for a cookie that new_session_cookie() cannot have made.
[[nodiscard]] std::optional<std::string> session_name(std::string_view cookie);

}  // namespace volt::http::cookies
