// SPDX-License-Identifier: MIT

// History: what happened in the last hour, for the operators' page, so that it can show what happened before it was
// opened. It is a ring of points, each of which sums up an interval of ten seconds.
//
// Threads: one; the ops server has only one worker. Memory: about 30 KiB.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "http/ops/internal/snapshot.h"

namespace volt::http::ops {

struct HistoryPoint {
  double end_seconds = 0;  // since the epoch
  double responses_per_second = 0;
  double failed_per_second = 0;   // responses with a 5xx status
  double refused_per_second = 0;  // requests and connections, because of overload
  double p50_seconds = 0;         // of the requests that ended in the interval; 0 if there were none
  double p99_seconds = 0;
  double processors = 0;  // processor time per second
  double resident_bytes = 0;
  double connections = 0;
};

struct HistoryReport {
  double interval_seconds = 0;
  std::vector<HistoryPoint> points;  // from the oldest to the newest
};

class History {
 public:
  static constexpr std::chrono::seconds kInterval{10};
  static constexpr std::size_t kPointsMax = 360;

  // Adds the point between the previous snapshot and this one. The first call only remembers its snapshot.
  void add(PageSnapshot snapshot);
  [[nodiscard]] HistoryReport report() const;

 private:
  std::optional<PageSnapshot> previous_;
  std::deque<HistoryPoint> points_;
};

}  // namespace volt::http::ops
