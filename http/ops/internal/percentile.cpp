// SPDX-License-Identifier: MIT

#include "http/ops/internal/percentile.h"

#include <cmath>
#include <cstddef>
#include <numeric>

namespace volt::http::ops {

double percentile_seconds(const DurationCounts& counts, double part) noexcept {
  const auto total = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  if (total == 0) return 0;
  const double wanted = part * static_cast<double>(total);
  std::uint64_t until = 0;
  for (std::size_t i = 0; i != server::kDurationBoundCount; ++i) {
    until += counts[i];
    if (static_cast<double>(until) < wanted || counts[i] == 0) continue;
    return i == 0 ? server::bound_seconds(0) : std::sqrt(server::bound_seconds(i - 1) * server::bound_seconds(i));
  }
  return server::bound_seconds(server::kDurationBoundCount - 1);
}

}  // namespace volt::http::ops
