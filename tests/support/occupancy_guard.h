// SPDX-License-Identifier: MIT

// OccupancyGuard: counts who is in a critical section, also if one leaves it by an exception.
#pragma once

#include <cstddef>

#include "runtime/base/atomic.h"

namespace volt::test {

class OccupancyGuard {
 public:
  OccupancyGuard(base::Atomic<std::size_t>& counter, std::size_t weight) noexcept
      : counter_(counter),
        weight_(weight),
        count_(counter.fetch_add(weight, base::relaxed) + weight) {}  // relaxed: the lock under test orders it
  ~OccupancyGuard() { counter_.fetch_sub(weight_, base::relaxed); }   // relaxed: as above
  OccupancyGuard(const OccupancyGuard&) = delete;
  OccupancyGuard& operator=(const OccupancyGuard&) = delete;

  // All who were there when this one came, and itself.
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  base::Atomic<std::size_t>& counter_;
  const std::size_t weight_;
  const std::size_t count_;
};

}  // namespace volt::test
