// SPDX-License-Identifier: MIT

// Counter: a number that one thread at a time writes and all threads may read.
//
// An increment is a plain load, an addition and a plain store: it costs no locked instruction, as long as no other
// thread writes. So every worker has counters of its own, and a reader adds them up.
//
// Threads: add() and subtract() by one thread at a time; a change of the writer must be ordered by something else, such
// as a lock. value() by any thread. Two concurrent writers lose increments, but do nothing worse.
//
// Edges: none. A reader may see an old value, and nothing else is published with it: what must be seen together with a
// count needs an edge of its own. For a writer, its own earlier stores are visible by program order, or by the edge of
// the lock that handed the counter over.
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
  // Modulo 2^64: of counters that are added up, one may be below zero if the sum is not.
  void subtract(std::uint64_t by = 1) noexcept { add(~by + 1); }

  [[nodiscard]] std::uint64_t value() const noexcept { return value_.load(relaxed); }  // relaxed: a report

 private:
  Atomic<std::uint64_t> value_{0};
};

}  // namespace volt::base
