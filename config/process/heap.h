// SPDX-License-Identifier: MIT

// Bounds the memory that malloc keeps after it was freed. By default, glibc raises its thresholds with the size of the
// blocks that a program frees: after a hundred responses of 10 MB at a time, 1 GB stayed with the process.
//
// Blocks of 4 MiB and more are then mapped one by one and go back to the kernel when they are freed; of smaller ones,
// each arena keeps at most 32 MiB at its end. There are at most two arenas for each processor, and two more, instead of
// eight: threads that are needed for a moment, such as spare workers, would otherwise each leave an arena behind.
//
// What lies free between blocks that are in use goes back only when malloc_trim() walks all free blocks. While it walks
// those of an arena, for some milliseconds or longer if gigabytes are free, no thread can allocate from the arena. So
// HeapTrim calls it seldom.
//
// Environment variables that set one of these values for glibc take precedence over all of this.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace volt::config {

// Called before other threads exist. Does nothing without glibc.
void bound_freed_memory() noexcept;

// Gives freed memory back to the kernel at two times: when the process becomes idle, and when it has grown. Its growth
// is measured from five minutes after the last time, because a busy process soon needs most of it again.
//
// Threads: one.
class HeapTrim {
 public:
  using Clock = std::chrono::steady_clock;

  // The memory in use, and the processor time that the process has taken since it began.
  struct Use {
    std::uint64_t bytes;
    std::chrono::nanoseconds processor_time;
  };

  HeapTrim() noexcept : HeapTrim(Clock::now()) {}
  explicit HeapTrim(Clock::time_point began) noexcept;

  // When look() is to be called; never if the environment sets values for glibc, or without glibc.
  [[nodiscard]] Clock::time_point next_look() const noexcept { return next_look_; }
  // Gives freed memory back, if it is time to look and the use of the process says so.
  void look() noexcept;

  // The decision of look(), which is called at next_look() or later. Returns whether memory is to be given back.
  [[nodiscard]] bool is_due(Clock::time_point now, Use use) noexcept;

 private:
  Clock::time_point last_look_;
  Clock::time_point next_look_;
  std::chrono::nanoseconds processor_time_{0};  // at the last look
  std::optional<std::uint64_t> least_bytes_;    // from the first look after the last trim
  bool idle_ = false;                           // at the last look
};

}  // namespace volt::config
