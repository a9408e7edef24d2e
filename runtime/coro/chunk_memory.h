// SPDX-License-Identifier: MIT

// The memory of a frame pool's chunks: mapped one by one, because malloc returns memory in the middle of its heaps to
// the kernel only when it walks all of them (malloc_trim).
//
// Threads: any.
#pragma once

#include <cstddef>

namespace volt::coro {

// Returns memory that begins at a multiple of `bytes`, a power of two and a number of whole pages. Throws
// std::bad_alloc.
[[nodiscard]] void* map_chunk(std::size_t bytes);

// Returns false if the kernel refuses, because it would have to split a mapping and the process has too many. The
// memory then remains as it is.
[[nodiscard]] bool unmap_chunk(void* chunk, std::size_t bytes) noexcept;

}  // namespace volt::coro
