// libssl tells why a call failed in a queue that belongs to the thread: emptied before a call, and taken after it,
// with no co_await between.
//
// Threads: each has its own queue.
#pragma once

#include <string>

#include "tls/error.h"

namespace volt::tls::internal {

struct QueuedError {
  Error error;
  std::string words;  // libssl's
  bool found;         // false: the queue was empty, and the rest says nothing
};

void clear_errors() noexcept;

// The first error, which is the cause; empties the queue.
[[nodiscard]] QueuedError take_error();

}  // namespace volt::tls::internal
