// SPDX-License-Identifier: MIT

// StoreOptions: how long a store keeps sessions, and of what size.
#pragma once

#include <chrono>
#include <cstddef>

namespace volt::sessions {

struct StoreOptions {
  // A session unused for this long ends. Must be SessionOptions::idle_time: http::sessions() checks it.
  std::chrono::seconds idle_time = std::chrono::hours(24);
  std::size_t data_bytes_max = 16 * 1024;  // maximum size of one session's data
};

}  // namespace volt::sessions
