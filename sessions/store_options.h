// SPDX-License-Identifier: MIT

// StoreOptions: how long a store keeps sessions, and of what size.
#pragma once

#include <chrono>
#include <cstddef>

namespace volt::sessions {

struct StoreOptions {
  std::chrono::seconds idle_time = std::chrono::hours(24);  // a session unused for this long ends
  std::size_t data_bytes_max = 16 * 1024;                   // maximum size of one session's data
};

}  // namespace volt::sessions
