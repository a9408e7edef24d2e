// SPDX-License-Identifier: MIT

// UnsentResponses: the responses that are composed but not sent yet, of which Traffic will count how long they waited.
// The responses to a pipelined burst leave in one system call, so the clock is read once for all of them.
//
// Responses of one route that were ready at about the same time are one entry. When all entries are taken, the
// connection must send what it has composed.
//
// Threads: belongs to one connection at a time. Lifetime: in the RequestContext.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "http/server/internal/traffic.h"
#include "runtime/base/check.h"

namespace volt::http::server {

class UnsentResponses {
 public:
  using TimePoint = RequestTimes::TimePoint;

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] bool full() const noexcept { return count_ == kEntriesMax; }

  // Must not be called while full().
  void add(std::uint32_t route, TimePoint ready) noexcept {
    if (count_ != 0) {
      Entry& last = entries_[count_ - 1];
      if (last.route == route && ready - last.ready < kSameTime) {
        ++last.responses;
        return;
      }
    }
    VOLT_CHECK(!full());
    entries_[count_++] = {.route = route, .responses = 1, .ready = ready};
  }

  // Counts all responses as sent at that time.
  void note_sent(Traffic& traffic, TimePoint at) noexcept {
    for (std::size_t i = 0; i != count_; ++i) {
      const Entry& entry = entries_[i];
      traffic.record_phase(entry.route, Phase::send, at - entry.ready, entry.responses);
    }
    count_ = 0;
  }

  void clear() noexcept { count_ = 0; }

 private:
  struct Entry {
    std::uint32_t route;
    std::uint32_t responses;
    TimePoint ready;  // of the first one
  };
  static constexpr std::size_t kEntriesMax = 16;
  static constexpr std::chrono::nanoseconds kSameTime = std::chrono::microseconds(10);  // the narrowest bucket

  std::array<Entry, kEntriesMax> entries_;
  std::size_t count_ = 0;
};

}  // namespace volt::http::server
