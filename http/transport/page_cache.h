// SPDX-License-Identifier: MIT

// Reads of files without waiting for the disk: whether the page cache has a part of a file, and how it gets there.
//
//   if (would_wait_for_disk(fd, offset + size - 1)) co_await fetch_from_disk(fd, offset, size);
//
// Some file systems cannot tell what the page cache has, for example overlayfs, in which containers have their images.
// Every part of such a file must be fetched (hides_disk_waits()). Rejected: mincore(2), which says of a file that the
// process may not write that all of it is there; cachestat(2), which says of a file of overlayfs that nothing is.
//
// Threads: any. Lifetime: `fd` must stay open until the fetch has ended, also if its task is cancelled.
#pragma once

#include <cstdint>

#include "runtime/task.h"

namespace volt::http {

// Returns whether a read of the byte at `offset` would wait for the disk. Files of file systems that cannot tell never
// seem to wait.
[[nodiscard]] bool would_wait_for_disk(int fd, std::uint64_t offset) noexcept;

// Returns whether the file is of a file system that cannot tell, except one in memory, which never waits.
[[nodiscard]] bool hides_disk_waits(int fd) noexcept;

// Brings a part of a file into the page cache, on a thread of the blocking pool. An error is left to the next read. If
// the pool is full, returns at once, so that the next read waits for the disk.
[[nodiscard]] Task<> fetch_from_disk(int fd, std::uint64_t offset, std::uint64_t size);

}  // namespace volt::http
