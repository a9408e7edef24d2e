// Where a redirect leads, and what is asked there (RFC 9110 section 15.4).
//
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <optional>

#include "http/client/client.h"
#include "http/client/internal/uri.h"
#include "http/message/method.h"

namespace volt::http::client {

inline constexpr std::size_t kDroppedBytesMax = 16 * 1024;  // of a redirect's body; beyond it, the connection is closed

struct Redirect {
  Uri uri;
  Method method = Method::get;
  bool keeps_body = false;
};

// None: the answer is no redirect, or one that is not followed: it leads nowhere, from https to http, or needs a body
// that was streamed and is gone.
[[nodiscard]] std::optional<Redirect> redirect_of(const ClientResponse& response, Method method, const Uri& uri,
                                                  bool body_is_gone);

}  // namespace volt::http::client
