// SPDX-License-Identifier: MIT

// IdSource: draws the ids of traces and spans. The generator is xoshiro256** (Blackman, Vigna), seeded by the kernel:
// ids must be unique, but they are no secrets, and a system call for each request would cost more than the rest of its
// span.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>

#include "tracing/span_context.h"

namespace volt::tracing::internal {

class IdSource {
 public:
  IdSource() noexcept;

  // The ids are never zero.
  [[nodiscard]] TraceId next_trace_id() noexcept;
  [[nodiscard]] SpanId next_span_id() noexcept;

 private:
  [[nodiscard]] std::uint64_t next() noexcept;

  std::array<std::uint64_t, 4> state_;
};

}  // namespace volt::tracing::internal
