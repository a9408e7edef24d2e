// SPDX-License-Identifier: MIT

// The Vary field: the request fields that a response depends on (RFC 9110 section 12.5.5).
//
// Threads: pure functions.
#pragma once

#include <string_view>

#include "http/web/response.h"

namespace volt::http::middleware {

// Adds `field_name` to Vary unless it is listed already.
void vary_on(Response& response, std::string_view field_name);

}  // namespace volt::http::middleware
