// SPDX-License-Identifier: MIT

// Sizes of a cache line, and of the distance that prevents false sharing between two threads' words. The distance is
// 128 bytes because x86 prefetches lines in pairs, and because some ARM64 processors have lines of 128 bytes. (The size
// of a line only aligns memory, so a greater true size does no harm.)
#pragma once

#include <cstddef>

namespace volt::base {
inline constexpr std::size_t kCacheLineBytes = 64;
inline constexpr std::size_t kNoSharingBytes = 128;
}  // namespace volt::base
