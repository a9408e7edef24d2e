// SPDX-License-Identifier: MIT

// Reads of files without waiting for the disk: whether the page cache has a part of a file, and how it gets there.
//
//   if (would_wait_for_disk(fd, offset + size - 1)) co_await fetch_from_disk(fd, offset, size);
//
// Threads: any. Lifetime: `fd` must stay open until the fetch has ended, also if its task is cancelled.
#pragma once

#include <cstdint>

#include "runtime/task.h"

namespace volt::http {

// Returns whether a read of the byte at `offset` would wait for the disk. File systems that cannot tell never seem to
// wait.
[[nodiscard]] bool would_wait_for_disk(int fd, std::uint64_t offset) noexcept;

// Brings a part of a file into the page cache, on a thread of the blocking pool. An error is left to the next read. If
// the pool is full, returns at once, so that the next read waits for the disk.
[[nodiscard]] Task<> fetch_from_disk(int fd, std::uint64_t offset, std::uint64_t size);

}  // namespace volt::http
