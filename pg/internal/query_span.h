// SPDX-License-Identifier: MIT

// QuerySpan: the span of a query or a batch, with the attributes of OpenTelemetry's conventions for databases.
//
// Threads: one task at a time.
#pragma once

#include <span>
#include <vector>

#include "pg/internal/reply.h"
#include "pg/query.h"
#include "tracing/span.h"

namespace volt::pg::internal {

// A child of the current span, if that is recorded.
class QuerySpan {
 public:
  explicit QuerySpan(std::span<const Query> queries);

  // Records the first error among the outcomes.
  void set_outcomes(const std::vector<Outcome>& outcomes) noexcept;

 private:
  tracing::Span span_;
};

}  // namespace volt::pg::internal
