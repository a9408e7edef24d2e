// SPDX-License-Identifier: MIT

// FailingAllocation: counts this process's allocations and makes the n-th fail. Counts operator new and libcrypto's
// allocations.
//
// Threads: the constructor and the destructor run on the test's thread; the scope's `Counted` says which threads count.
#pragma once

#include <cstdint>

namespace volt::test {

enum class Counted : std::uint8_t {
  this_thread,    // allocations of the calling thread, except in a NotCounted scope
  other_threads,  // allocations of all other threads
};

// During its lifetime, only the `number`-th allocation (counted from 1) fails.
class FailingAllocation {
 public:
  FailingAllocation(Counted counted, std::uint64_t number) noexcept;
  ~FailingAllocation();
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;

  [[nodiscard]] bool met() const noexcept;
};

class NotCounted {
 public:
  NotCounted() noexcept;
  ~NotCounted();
  NotCounted(const NotCounted&) = delete;
  NotCounted& operator=(const NotCounted&) = delete;
};

// Counts libcrypto's allocations from now on. Call it before libcrypto has allocated anything.
void count_libcrypto() noexcept;

}  // namespace volt::test
