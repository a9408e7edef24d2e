// SPDX-License-Identifier: MIT

// Diagnosis: what is wrong with the monitored server, in sentences for an operator. Each names what was seen, and what
// can be done.
//
// Threads: pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "http/ops/internal/page_tables.h"
#include "http/ops/internal/snapshot.h"
#include "http/route/route_tree.h"

namespace volt::http::ops {

struct Finding {
  std::string severity;  // "error": requests fail or are refused; "warning": they may soon, or are slow; "note"
  std::string text;
};

// The data of one event of /events: the page gets one each second.
struct PageUpdate {
  PageSnapshot snapshot;
  std::vector<Finding> findings;
  PageTables tables;
};

// Compares two snapshots of one server, which are some seconds apart. The gravest findings come first. Empty if the
// snapshots show nothing wrong.
[[nodiscard]] std::vector<Finding> diagnose(const PageSnapshot& before, const PageSnapshot& now,
                                            std::span<const route::RouteInfo> routes);

}  // namespace volt::http::ops
