// SPDX-License-Identifier: MIT

// PlainMemory: memory for the objects of an execution. It detects races on the parts of them that are not atomic.
//
// While an execution runs, operator new allocates from one block that is freed as a whole at the end of the execution.
// So an execution may be abandoned at any point, addresses are the same in each execution, and deleted memory is not
// reused, so that an access to it is detected. The checked code is compiled with -fsanitize=thread but not linked with
// the sanitizer's runtime: each plain access to memory calls a function of plain_memory.cpp (such as __tsan_read8).
// That function determines from the clocks of memory.h whether the access is ordered after the last accesses of the
// other threads. Stacks are not checked: shared objects are on the heap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/model/explorer/memory.h"

namespace volt::model {

class PlainMemory {
 public:
  enum class Finding : std::uint8_t { fine, race, deleted };

  // Frees the block for another execution.
  static void forget() noexcept;

  // Sets whether operator new allocates from the block. Off while the explorer itself runs.
  static void set_open(bool open) noexcept;
  [[nodiscard]] static bool open() noexcept;

  [[nodiscard]] static void* allocate(std::size_t bytes, std::size_t alignment) noexcept;  // null if the block is full
  [[nodiscard]] static bool owns(const void* address) noexcept;
  [[nodiscard]] static std::size_t size(const void* allocated) noexcept;
  static void deallocate(void* allocated) noexcept;

  [[nodiscard]] static Finding access(const void* address, std::size_t bytes, bool write, unsigned thread,
                                      const Knowledge& known) noexcept;
};

// Lets the explorer itself use the ordinary heap inside an execution, while this object exists.
class Outside {
 public:
  Outside() noexcept : open_(PlainMemory::open()) { PlainMemory::set_open(false); }
  ~Outside() { PlainMemory::set_open(open_); }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

 private:
  const bool open_;
};

}  // namespace volt::model
