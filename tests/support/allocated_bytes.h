// SPDX-License-Identifier: MIT

// allocated_bytes(): the memory that this process has allocated and not freed, by the account of glibc's malloc. Other
// threads may allocate as well, so tests compare large amounts only. Sanitizers have a malloc of their own, which this
// function does not see: see kSanitized in tests/support/sanitizers.h.
//
// Threads: any.
#pragma once

#include <malloc.h>

#include <cstddef>

namespace volt::test {

[[nodiscard]] inline std::size_t allocated_bytes() noexcept {
  const auto account = ::mallinfo2();
  return account.uordblks + account.hblkhd;  // in the heaps, and in mappings of their own
}

}  // namespace volt::test
