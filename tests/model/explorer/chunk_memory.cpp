// SPDX-License-Identifier: MIT

// The chunks of frame pools. Replaces runtime/coro/chunk_memory.cpp: the explorer sees the plain accesses to memory
// that comes from operator new.
#include "runtime/coro/chunk_memory.h"

#include <new>

#include "runtime/base/cache_line.h"

namespace volt::coro {
namespace {
constexpr std::align_val_t kAlignment{base::kCacheLineBytes};
}

void* map_chunk(std::size_t bytes) { return ::operator new(bytes, kAlignment); }

bool unmap_chunk(void* chunk, std::size_t) noexcept {
  ::operator delete(chunk, kAlignment);
  return true;
}

}  // namespace volt::coro
