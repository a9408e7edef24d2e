// SPDX-License-Identifier: MIT

// Processor time in tests: time that does not pass while the kernel gives the processor to another thread.
#pragma once

#include <time.h>

#include <chrono>

namespace volt::test {

// Returns the processor time of the calling thread.
inline std::chrono::nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

// Keeps the calling thread busy until it has used a processor for `duration`.
inline void compute(std::chrono::nanoseconds duration) {
  const auto end = processor_time() + duration;
  while (processor_time() < end) {
  }
}

}  // namespace volt::test
