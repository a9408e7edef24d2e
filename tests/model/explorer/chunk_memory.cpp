// SPDX-License-Identifier: MIT

// The chunks of frame pools. Replaces runtime/coro/chunk_memory.cpp: the explorer sees the plain accesses to memory
// that comes from operator new.
#include "runtime/coro/chunk_memory.h"

#include <new>

namespace volt::coro {

void* map_chunk(std::size_t bytes) { return ::operator new(bytes, std::align_val_t{bytes}); }

bool unmap_chunk(void* chunk, std::size_t bytes) noexcept {
  ::operator delete(chunk, std::align_val_t{bytes});
  return true;
}

}  // namespace volt::coro
