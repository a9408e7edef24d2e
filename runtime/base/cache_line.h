// SPDX-License-Identifier: MIT

// Sizes of a cache line, and of the distance that prevents false sharing between two threads' words. The distance is
// 128 bytes because x86 prefetches lines in pairs, and because some ARM64 processors have lines of 128 bytes. (The size
// of a line only aligns memory, so a greater true size does no harm.)
#pragma once

#include <cstddef>

namespace volt::base {
inline constexpr std::size_t kCacheLineBytes = 64;
inline constexpr std::size_t kNoSharingBytes = 128;

// Starts to load the memory of `object` into the cache of this processor, without waiting for it.
template <class T>
void prefetch(const T& object) noexcept {
  const char* const memory = reinterpret_cast<const char*>(&object);
  for (std::size_t offset = 0; offset < sizeof(T); offset += kCacheLineBytes) __builtin_prefetch(memory + offset);
  __builtin_prefetch(memory + sizeof(T) - 1);
}

// Starts to load the cache line of `address`.
inline void prefetch_line(const void* address) noexcept { __builtin_prefetch(address); }

}  // namespace volt::base
