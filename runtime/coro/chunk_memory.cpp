// SPDX-License-Identifier: MIT

#include "runtime/coro/chunk_memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>
#include <tuple>

namespace volt::coro {
namespace {

std::byte* map(std::size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

}  // namespace

// The kernel puts a mapping right below the one before if there is room, so most mappings of this size begin where they
// should. Otherwise twice the size is mapped, and the two ends are given back.
void* map_chunk(std::size_t bytes) {
  const auto past_multiple = [bytes](const std::byte* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) % bytes;
  };
  std::byte* memory = map(bytes);
  if (past_multiple(memory) == 0) return memory;
  std::ignore = unmap_chunk(memory, bytes);
  memory = map(2 * bytes);
  const std::size_t ahead = (bytes - past_multiple(memory)) % bytes;
  if (ahead != 0) std::ignore = unmap_chunk(memory, ahead);
  std::ignore = unmap_chunk(memory + ahead + bytes, bytes - ahead);
  return memory + ahead;
}

bool unmap_chunk(void* chunk, std::size_t bytes) noexcept { return ::munmap(chunk, bytes) == 0; }

}  // namespace volt::coro
