// SPDX-License-Identifier: MIT

// The freshness lifetime of a response (RFC 9111 section 4.2), as far as key sets need it.
//
// Threads: pure functions.
#pragma once

#include <chrono>
#include <optional>

#include "http/message/headers.h"

namespace volt::http::jwks {

// Returns max-age less Age, not below zero; zero for no-store and no-cache. Returns nullopt without these directives,
// or if max-age is not a number.
std::optional<std::chrono::seconds> freshness_of(const Fields& fields);

}  // namespace volt::http::jwks
