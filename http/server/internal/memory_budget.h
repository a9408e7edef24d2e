// SPDX-License-Identifier: MIT

// MemoryBudget: measures how much memory is left before the limit (ServerOptions::memory_bytes_max). Its state decides
// what the server still reads, accepts and serves.
//
// The memory in use is sampled periodically (runtime/memory_use.h). A sample counts everything, including the memory
// that handlers hold and that malloc keeps. Between two samples, received bytes, the memory reserved for bodies, large
// responses, and responses that cannot be sent are charged as if all of them stayed in memory. If that makes memory
// low, a sample is taken at once. So a burst cannot exceed the limit between two samples. A stream that is consumed
// while it is received is not delayed, because the sample shows that its bytes are free again. Requests trigger the
// samples, so an idle server takes none.
//
// A handler allocates its response before anything can be charged. Therefore requests are refused while less memory is
// left than all workers together need for the largest response of the last minutes.
//
// Rejected: counting allocations in this code only. The count would include neither fragmentation nor the memory that
// handlers allocate.
// Rejected: only samples, one every 50 ms. In 50 ms clients can send more bytes than a small container has memory.
//
// Threads: any; relief() in a task.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/server/internal/interval_gate.h"
#include "runtime/base/atomic.h"
#include "runtime/memory_use.h"
#include "runtime/task.h"

namespace volt::http::server {

class MemoryBudget {
 public:
  enum class State : std::uint8_t {
    plenty,
    low,        // bodies and messages are not read; requests with a body are refused
    exhausted,  // all requests are refused, and connections are not accepted
  };

  // Without `use` there is no limit, and the state is always plenty.
  explicit MemoryBudget(std::optional<MemoryUse> use);

  [[nodiscard]] State state() const noexcept {
    const std::int64_t left = left_bytes();
    const std::int64_t low_below = low_below_bytes_.load(base::relaxed);  // relaxed: a hint
    if (left >= low_below) [[likely]] {
      return State::plenty;
    }
    return left >= low_below / 2 ? State::low : State::exhausted;
  }
  [[nodiscard]] bool low() const noexcept { return state() != State::plenty; }

  // Counts bytes that may stay in memory.
  void charge(std::uint64_t bytes, std::chrono::nanoseconds now) noexcept;
  // Records the size of a response's body, of which each of `workers` may be composing one. A large one is charged,
  // because other workers compose theirs before it is sent.
  void note_response(std::size_t bytes, std::uint32_t workers, std::chrono::nanoseconds now) noexcept {
    if (bytes >= kLargeResponseBytes && use_) [[unlikely]] {
      note_large_response(bytes, workers, now);
    }
  }
  // Takes a sample if the last one is old.
  void look(std::chrono::nanoseconds now) noexcept {
    if (use_ && sample_gate_.due(now, kSampleInterval)) sample_now(now);
  }
  // Waits while memory is low, for some seconds at most. Returns false if memory is still low. The caller must then
  // free the memory that it holds, because all callers may be waiting for each other's memory. Different callers give
  // up at different times: the memory that the first ones free lets the others continue.
  [[nodiscard]] Task<bool> relief();

  // In bytes. 0 if there is no limit.
  [[nodiscard]] std::uint64_t limit_bytes() const noexcept { return use_ ? use_->limit_bytes() : 0; }
  // In bytes: the last sample plus the bytes that were charged after it.
  [[nodiscard]] std::uint64_t used_bytes() const noexcept;

 private:
  static constexpr auto kSampleInterval = std::chrono::milliseconds(50);
  static constexpr std::size_t kLargeResponseBytes = 64 * 1024;

  [[nodiscard]] std::int64_t left_bytes() const noexcept {
    // relaxed: a hint
    return left_and_charged_.load(base::relaxed) - charged_bytes_.load(base::relaxed);
  }
  [[gnu::cold]] void note_large_response(std::size_t bytes, std::uint32_t workers,
                                         std::chrono::nanoseconds now) noexcept;
  void forget_large_responses(std::chrono::nanoseconds now) noexcept;
  void reserve(std::int64_t bytes) noexcept;
  void sample_now(std::chrono::nanoseconds now) noexcept;
  void measure() noexcept;

  const std::optional<MemoryUse> use_;
  const std::int64_t share_bytes_;  // the least value of low_below_bytes_
  base::Atomic<std::int64_t> low_below_bytes_;
  base::Atomic<std::int64_t> charged_bytes_{0};  // all that was ever charged
  // The sum of the bytes that were left at the last sample and of those that had been charged before it. Bytes that are
  // charged during a sample count until the next one, whether or not the sample has seen them.
  base::Atomic<std::int64_t> left_and_charged_;
  base::Atomic<std::int64_t> reserved_bytes_{0};  // for a response of the largest size on each worker
  IntervalGate forget_gate_;
  IntervalGate sample_gate_;
  IntervalGate trim_gate_;
  IntervalGate log_gate_;
};

[[nodiscard]] constexpr std::string_view to_string(MemoryBudget::State state) noexcept {
  switch (state) {
    case MemoryBudget::State::plenty:
      return "plenty";
    case MemoryBudget::State::low:
      return "low";
    case MemoryBudget::State::exhausted:
      return "exhausted";
  }
  return {};
}

}  // namespace volt::http::server
