// SPDX-License-Identifier: MIT

// folded_heap: a heap dump of jemalloc ("heap_v2") as folded stacks (runtime/internal/folded_text.h), with the bytes
// that each stack has allocated and not freed.
//
// jemalloc samples an allocation of `size` bytes with the probability 1 - exp(-size / interval), so each stack has its
// bytes divided by that of its average size. This is what jemalloc's own program, jeprof, does (AdjustSamples).
//
// Threads: a pure function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace volt {

// `allocator` is an address within jemalloc, whose own functions are left out, if it is a library of its own; null:
// none is. Returns nothing for a text that is no such dump. Throws std::bad_alloc.
[[nodiscard]] std::optional<std::string> folded_heap(std::string_view dump, const void* allocator);

}  // namespace volt
