// PlainMemory: where the objects of an execution live, and whether threads race for what in them is not atomic.
//
// While an execution runs, operator new takes from one block that is given back as a whole at its end. So an execution
// may be abandoned in the middle, addresses are the same each time, and what was deleted is not used again: a look at it
// is found. What is checked is compiled with -fsanitize=thread but not linked with its runtime: each plain access to
// memory calls us (__tsan_read8 and the like, in plain_memory.cpp), which tells, by the clocks of memory.h, whether it is
// ordered after the last accesses of the other threads. Stacks are left out: what threads share is on the heap.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tests/model/explorer/memory.h"

namespace volt::model {

class PlainMemory {
 public:
  enum class Finding : std::uint8_t { fine, race, deleted };

  // For another execution.
  static void forget() noexcept;

  // Whether operator new takes from here. Off while the explorer itself runs.
  static void set_open(bool open) noexcept;
  [[nodiscard]] static bool open() noexcept;

  [[nodiscard]] static void* allocate(std::size_t bytes) noexcept;  // null: full
  [[nodiscard]] static bool owns(const void* address) noexcept;
  [[nodiscard]] static std::size_t size(const void* allocated) noexcept;
  static void deallocate(void* allocated) noexcept;

  [[nodiscard]] static Finding access(const void* address, std::size_t bytes, bool write, unsigned thread,
                                      const Knowledge& known) noexcept;
};

// The explorer's own use of memory inside an execution.
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
