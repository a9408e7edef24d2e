// SPDX-License-Identifier: MIT

// SpanContext: the identity of a span, which a process passes to the services that it calls (W3C Trace Context).
//
// Threads: values.
#pragma once

#include <array>
#include <cstddef>

namespace volt::tracing {

using TraceId = std::array<std::byte, 16>;
using SpanId = std::array<std::byte, 8>;

struct SpanContext {
  TraceId trace_id{};
  SpanId span_id{};
  bool sampled = false;          // the span is recorded
  bool random_trace_id = false;  // the last 7 bytes of trace_id were drawn at random

  bool operator==(const SpanContext&) const = default;
};

}  // namespace volt::tracing
