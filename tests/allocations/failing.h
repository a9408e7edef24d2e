// Allocations of this process, counted; and the n-th of them fails. operator new and libcrypto's both count.
//
// Threads: begin() and end() belong to the test's; what counts is said by the scope.
#pragma once

#include <cstdint>

namespace volt::test {

enum class Counted : std::uint8_t {
  this_thread,    // what the calling thread allocates, but where it is NotCounted
  other_threads,  // what all others do
};

// While it lives, the `number`-th allocation (from 1) fails, and only that.
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

// libcrypto allocates through us from now on. Before it has allocated anything.
void count_libcrypto() noexcept;

}  // namespace volt::test
