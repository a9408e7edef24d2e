// SPDX-License-Identifier: MIT

// Threads: a pure function.
#pragma once

#include "http/message/method.h"

namespace volt::http::middleware {

// Returns whether the method is safe (RFC 9110 section 9.2.1).
constexpr bool is_safe(Method method) noexcept {
  return method == Method::get || method == Method::head || method == Method::options || method == Method::trace;
}

}  // namespace volt::http::middleware
