// SPDX-License-Identifier: MIT

// Durations as the page and /metrics state them.
#pragma once

#include <chrono>
#include <cstdint>

namespace volt::http::ops {

[[nodiscard]] inline double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

[[nodiscard]] inline double seconds(std::uint64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace volt::http::ops
