// SPDX-License-Identifier: MIT

#include "http/ops/internal/history.h"

#include <algorithm>
#include <utility>

#include "http/ops/internal/percentile.h"

namespace volt::http::ops {
namespace {

struct Totals {
  std::uint64_t requests = 0;
  std::uint64_t failed = 0;
  DurationCounts counts{};
};

Totals totals(const PageSnapshot& snapshot) {
  Totals sum;
  for (const RouteSnapshot& route : snapshot.routes) {
    sum.requests += route.requests;
    sum.failed += route.failed;
    for (std::size_t i = 0; i != sum.counts.size(); ++i) sum.counts[i] += route.buckets[i];
  }
  return sum;
}

HistoryPoint point_between(const PageSnapshot& before, const PageSnapshot& now) {
  const double elapsed = std::max(now.at_seconds - before.at_seconds, 0.001);
  const Totals first = totals(before);
  Totals last = totals(now);
  for (std::size_t i = 0; i != last.counts.size(); ++i) last.counts[i] -= first.counts[i];
  const auto rate = [elapsed](std::uint64_t from, std::uint64_t to) {
    return static_cast<double>(to - from) / elapsed;
  };
  return {.end_seconds = now.unix_seconds,
          .responses_per_second = rate(first.requests, last.requests),
          .failed_per_second = rate(first.failed, last.failed),
          .refused_per_second = rate(before.refused.total(), now.refused.total()),
          .p50_seconds = percentile_seconds(last.counts, 0.5),
          .p99_seconds = percentile_seconds(last.counts, 0.99),
          .processors = (now.cpu_seconds - before.cpu_seconds) / elapsed,
          .resident_bytes = static_cast<double>(now.resident_bytes),
          .connections = static_cast<double>(now.connections)};
}

}  // namespace

void History::add(PageSnapshot snapshot) {
  if (previous_) {
    if (points_.size() == kPointsMax) points_.pop_front();
    points_.push_back(point_between(*previous_, snapshot));
  }
  previous_ = std::move(snapshot);
}

HistoryReport History::report() const {
  return {.interval_seconds = static_cast<double>(kInterval.count()), .points = {points_.begin(), points_.end()}};
}

}  // namespace volt::http::ops
