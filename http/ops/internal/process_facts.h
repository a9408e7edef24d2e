// SPDX-License-Identifier: MIT

// ProcessFacts: the kernel's statistics of this process (proc(5)).
//
// Threads: any. Errors: a value that cannot be read is 0.
#pragma once

#include <cstdint>

namespace volt::http::ops {

struct ProcessFacts {
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_descriptors = 0;
  std::uint64_t descriptors_max = 0;
  std::uint64_t threads = 0;
  double cpu_seconds = 0;    // user and system
  double start_seconds = 0;  // since the epoch
};

[[nodiscard]] ProcessFacts process_facts();

}  // namespace volt::http::ops
