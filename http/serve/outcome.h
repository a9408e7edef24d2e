// What the outcome of an attempt to read, write or wait means.
#pragma once

#include <chrono>
#include <cstddef>

#include "runtime/result.h"

namespace volt::http::serve {

inline constexpr std::chrono::nanoseconds kNoDeadline = std::chrono::nanoseconds::max();

inline bool would_block(const Result<std::size_t>& count) noexcept {
  return !count && count.error() == std::errc::operation_would_block;
}

inline bool timed_out(const Result<void>& ready) noexcept { return !ready && ready.error() == std::errc::timed_out; }

inline bool interrupted(const Result<void>& ready) noexcept {
  return !ready && ready.error() == std::errc::interrupted;
}

inline bool out_of_memory(const Result<void>& ready) noexcept {
  return !ready && ready.error() == std::errc::not_enough_memory;
}

}  // namespace volt::http::serve
