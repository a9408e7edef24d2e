// SPDX-License-Identifier: MIT

// Composes a request's head (RFC 9112 sections 3 and 6).
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/client/internal/uri.h"
#include "http/message/headers.h"
#include "http/message/method.h"

namespace volt::http::client {

// Composes the head. A body of unknown size is chunked. Host comes from the URI unless `fields` contain it. `upgrade`
// is the protocol of the Upgrade field; there is no such field if it is empty.
[[nodiscard]] std::string encode_head(Method method, const Uri& uri, const FieldList& fields,
                                      std::optional<std::uint64_t> body_bytes, std::string_view upgrade = {});

}  // namespace volt::http::client
