// MemoryBudget: how far memory is from its end (ServerOptions::memory_bytes_max), and what to do about it.
//
// What is in use is looked at now and then (runtime/memory_use.h): that counts everything, also what handlers hold and
// what malloc keeps. Between two looks the bytes that are received, and the answers that cannot be sent, count as if all
// of them stayed; when that makes memory short there is a look at once. So a burst cannot pass the limit between two
// looks, and a stream that is consumed as it comes is held up by nothing. It is requests that look, so an idle server
// does nothing.
//
// Rejected: nothing but accounts of our own, which know neither fragments nor what handlers allocate. Rejected: nothing
// but looks, 50 ms apart: in that time clients can send more than a small container has.
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
    low,        // nothing is read that has to be kept: bodies, messages; requests that bring one are refused
    exhausted,  // all requests are refused, and no connection is accepted
  };

  // None: there is no limit, and always plenty.
  explicit MemoryBudget(std::optional<MemoryUse> use);

  [[nodiscard]] State state() const noexcept {
    const std::int64_t left = left_bytes_.load(base::relaxed);  // relaxed: a hint
    if (left >= low_below_bytes_) [[likely]] {
      return State::plenty;
    }
    return left >= low_below_bytes_ / 2 ? State::low : State::exhausted;
  }
  [[nodiscard]] bool low() const noexcept { return state() != State::plenty; }

  // So many bytes may be kept from now on.
  void charge(std::uint64_t bytes, std::chrono::nanoseconds now) noexcept;
  // Looks, if that was long ago.
  void look(std::chrono::nanoseconds now) noexcept {
    if (use_ && sample_gate_.due(now, kSampleInterval)) sample_now(now);
  }
  // Waits while memory is low, but for some seconds at most: then whoever waits has to give up what it holds, for all may
  // be waiting for each other. Not all at the same time. False: it is still low.
  [[nodiscard]] Task<bool> relief();

  // 0: there is no limit.
  [[nodiscard]] std::uint64_t limit_bytes() const noexcept { return use_ ? use_->limit_bytes() : 0; }
  // At the last look, and what may have come since.
  [[nodiscard]] std::uint64_t used_bytes() const noexcept;

 private:
  static constexpr auto kSampleInterval = std::chrono::milliseconds(50);

  void sample_now(std::chrono::nanoseconds now) noexcept;

  const std::optional<MemoryUse> use_;
  std::int64_t low_below_bytes_;
  base::Atomic<std::int64_t> left_bytes_;
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
