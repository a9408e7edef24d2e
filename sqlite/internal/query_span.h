// SPDX-License-Identifier: MIT

// QuerySpan: the span of a query or a batch, with the attributes of OpenTelemetry's conventions for databases. And
// rows_of(): the rows of outcomes.
//
// Threads: one task at a time.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "sqlite/internal/connection.h"
#include "sqlite/rows.h"
#include "tracing/span.h"

namespace volt::sqlite::internal {

// A child of the current span, if that is recorded.
class QuerySpan {
 public:
  // `text` is the first of `count` statements.
  QuerySpan(std::string_view text, std::size_t count);

  // Records the first error among the outcomes.
  void set_outcomes(const std::vector<Outcome>& outcomes) noexcept;

 private:
  tracing::Span span_;
};

// Returns the rows of the outcomes. Throws the first error.
[[nodiscard]] std::vector<Rows> rows_of(std::vector<Outcome> outcomes);

}  // namespace volt::sqlite::internal
