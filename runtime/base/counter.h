// SPDX-License-Identifier: MIT

// Counter: a number that one thread at a time writes and all threads may read.
//
// An increment is a plain load, an addition and a plain store: it costs no locked instruction, as long as no other
// thread writes. So every worker has counters of its own, and a reader adds them up.
//
// Threads: one thread at a time may call add() and subtract(). When another thread becomes the writer, something else,
// such as a lock, must order the two. Any thread may call value(). Two concurrent writers may lose increments, but do
// no other harm.
//
// Edges: none. A reader may see an old value, and a count publishes no other data: data that must be visible together
// with a count needs an edge of its own. A writer sees its own earlier stores by program order, and those of the writer
// before it by the edge of the lock between them.
//
// Rejected: fetch_add. It is right for any number of writers, but it is a locked instruction on every request, for
// numbers that only reports read.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"

namespace volt::base {

class Counter {
 public:
  void add(std::uint64_t by = 1) noexcept {
    value_.store(value_.load(relaxed) + by, relaxed);  // relaxed: one writer at a time, and readers only report
  }
  // The value is modulo 2^64. If a reader adds up several counters, one of them may be below zero, as long as the sum
  // is not.
  void subtract(std::uint64_t by = 1) noexcept { add(~by + 1); }

  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(relaxed); }  // relaxed: a report

 private:
  Atomic<std::uint64_t> value_{0};
};

}  // namespace volt::base
