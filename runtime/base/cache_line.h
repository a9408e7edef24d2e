// The distance that keeps two threads' words out of each other's way. 128 bytes: x86 prefetches lines in pairs.
#pragma once

#include <cstddef>

namespace volt::base {
inline constexpr std::size_t kCacheLineBytes = 64;
inline constexpr std::size_t kNoSharingBytes = 128;
}  // namespace volt::base
