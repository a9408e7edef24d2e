// SPDX-License-Identifier: MIT

#include "config/process/heap.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <thread>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace volt::config {

void bound_freed_memory() noexcept {
#if defined(__GLIBC__)
  for (const char* name : {"GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "MALLOC_ARENA_MAX"}) {
    if (std::getenv(name) != nullptr) return;
  }
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 32 << 20);
  const unsigned processors = std::thread::hardware_concurrency();
  ::mallopt(M_ARENA_MAX, static_cast<int>(2 * std::clamp(processors, 1U, 1024U) + 2));
#endif
}

}  // namespace volt::config
