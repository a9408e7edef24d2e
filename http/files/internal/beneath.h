// SPDX-License-Identifier: MIT

// Opens a path that must not leave a directory. The kernel enforces this (openat2(2)), even if links, mounts and names
// change at the same time. Rejected: comparing canonical paths and then opening, because the path may change in
// between.
//
// Threads: any. The functions block as long as the file system does.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/file_descriptor.h"
#include "runtime/result.h"

namespace volt::http::files {

enum class Symlinks : std::uint8_t {
  refused,
  followed,  // as long as they stay beneath the directory; never the magic links of /proc
};

enum class Waiting : bool {
  refused,  // only data in the kernel's caches
  allowed,  // wait for the device, or for the network behind a mount
};

// Opens a file for reading. Does not wait for the other end of a FIFO. `relative` must not be empty.
//
// Errors: those of openat2(2), among them
//   cross_device_link               the path leads out of the directory
//   too_many_symbolic_link_levels   the path contains a link, and `symlinks` refuses links
//   resource_unavailable_try_again  renames made the check inconclusive, or (with Waiting::refused) the result is not
//                                   known without waiting
//
// If the kernel or a sandbox lacks openat2, walk_beneath() opens the file. With Waiting::refused, the error is then
// resource_unavailable_try_again instead.
Result<FileDescriptor> open_beneath(int directory, const std::string& relative, Symlinks symlinks,
                                    Waiting waiting = Waiting::allowed);

// Opens a path name by name, for kernels without openat2. Refuses all links, like open_beneath() with
// Symlinks::refused, because they cannot be followed safely without openat2. Refuses `..` too.
Result<FileDescriptor> walk_beneath(int directory, const std::string& relative);

}  // namespace volt::http::files
