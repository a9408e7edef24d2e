// SPDX-License-Identifier: MIT

// Percentiles of durations that are counted in the buckets of the server.
//
// Threads: pure functions.
#pragma once

#include <array>
#include <cstdint>

#include "http/server/server_state.h"  // server::kDurationBoundCount

namespace volt::http::ops {

using DurationCounts = std::array<std::uint64_t, server::kDurationBoundCount + 1>;

// Returns the duration in seconds that `part` (0 to 1) of the counted requests did not exceed, to within a tenth: the
// middle of its bucket on a logarithmic scale. Of the first and of the last bucket only one bound is known, which is
// returned. Returns 0 if `counts` is empty.
[[nodiscard]] double percentile_seconds(const DurationCounts& counts, double part) noexcept;

}  // namespace volt::http::ops
