// SPDX-License-Identifier: MIT

// The error queue of libssl, which says why a call failed. Call clear_errors() before a call of libssl and take_error()
// after it, with no co_await between them.
//
// Threads: each thread has its own queue.
#pragma once

#include <string>

#include "tls/error.h"

namespace volt::tls::internal {

struct QueuedError {
  Error error;
  std::string words;  // description by libssl
  bool found;         // false if the queue was empty; then the other members mean nothing
};

void clear_errors() noexcept;

// Returns the first error, which is the cause, and empties the queue.
[[nodiscard]] QueuedError take_error();

}  // namespace volt::tls::internal
