// SPDX-License-Identifier: MIT

// The freshness lifetime of a response (RFC 9111 section 4.2), as far as key sets need it.
//
// Threads: pure functions.
#pragma once

#include <chrono>
#include <optional>

#include "http/message/headers.h"

namespace volt::http::jwks {

// Returns max-age less Age, not below zero; zero for no-store and no-cache, and for a max-age that is not a number.
// Returns nullopt without these directives.
std::optional<std::chrono::seconds> freshness_of(const Fields& fields);

}  // namespace volt::http::jwks
