// SPDX-License-Identifier: MIT

// Reads of files without waiting for the disk: whether the page cache has a part of a file, and how it gets there.
//
//   if (disk_wait(fd, offset + size - 1) != DiskWait::no) co_await fetch_from_disk(fd, offset, size);
//
// Some file systems cannot tell what the page cache has, for example overlayfs, in which containers have their images.
// Every part of such a file must be fetched (DiskWait::unknown). Rejected: mincore(2), which says of a file that the
// process may not write that all of it is there; cachestat(2), which says of a file of overlayfs that nothing is.
//
// Threads: any. Lifetime: `fd` must stay open until the fetch has ended, also if its task is cancelled.
#pragma once

#include <cstdint>

#include "runtime/task.h"

namespace volt::http {

enum class DiskWait : std::uint8_t {
  no,  // also for what cannot be read at all
  yes,
  unknown,  // the file system cannot tell, and is not one in memory
};

// Returns whether a read of the byte at `offset` would wait for the disk.
[[nodiscard]] DiskWait disk_wait(int fd, std::uint64_t offset) noexcept;

// Brings a part of a file into the page cache, on a thread of the blocking pool. An error is left to the next read. If
// the pool is full, returns at once, so that the next read waits for the disk.
[[nodiscard]] Task<> fetch_from_disk(int fd, std::uint64_t offset, std::uint64_t size);

}  // namespace volt::http
