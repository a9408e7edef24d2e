// SPDX-License-Identifier: MIT

// Computes the request that follows a redirect (RFC 9110 section 15.4).
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <optional>

#include "http/client/client.h"
#include "http/client/internal/uri.h"
#include "http/message/method.h"

namespace volt::http::client {

// Maximum size of a redirect's body that is read and discarded; beyond it, the connection is closed.
inline constexpr std::size_t kDroppedBytesMax = 16 * 1024;

struct Redirect {
  Uri uri;
  Method method = Method::get;
  bool keeps_body = false;
};

// Returns none if the response is not a redirect, or if the redirect is not followed: its Location is missing or
// invalid, it leads from https to http, or it needs a streamed body, which cannot be sent again.
[[nodiscard]] std::optional<Redirect> redirect_of(const ClientResponse& response, Method method, const Uri& uri,
                                                  bool body_was_streamed);

}  // namespace volt::http::client
