// SPDX-License-Identifier: MIT

#include "runtime/coro/chunk_memory.h"

#include <sys/mman.h>

#include <new>

namespace volt::coro {

void* map_chunk(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

bool unmap_chunk(void* chunk, std::size_t bytes) noexcept { return ::munmap(chunk, bytes) == 0; }

}  // namespace volt::coro
