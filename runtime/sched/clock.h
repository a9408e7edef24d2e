// The scheduler's clock: CLOCK_MONOTONIC in nanoseconds, so that a jump of the wall clock moves no deadline.
#pragma once

#include <time.h>

#include <cstdint>

namespace volt::sched {

[[nodiscard]] inline std::int64_t now_ns() noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace volt::sched
