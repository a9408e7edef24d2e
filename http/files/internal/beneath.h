// SPDX-License-Identifier: MIT

// Opens a path that must not leave a directory, whatever concurrent changes of links, mounts and names do: the kernel
// enforces it (openat2(2)). Rejected: comparing canonical paths and then opening, which is a race.
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

// Opens a file for reading, without waiting for the other end of a FIFO. `relative` must not be empty. Errors: those of
// openat2(2): cross_device_link if the path leads out of the directory, too_many_symbolic_link_levels if a link is
// refused, resource_unavailable_try_again if renames made the check inconclusive, and with Waiting::refused also if the
// result is not known without waiting. If the kernel or a sandbox lacks openat2, walk_beneath() is used.
Result<FileDescriptor> open_beneath(int directory, const std::string& relative, Symlinks symlinks,
                                    Waiting waiting = Waiting::allowed);

// Opens a file name by name, as open_beneath() does with Symlinks::refused: without openat2 no link can be followed
// safely. `..` is refused too.
Result<FileDescriptor> walk_beneath(int directory, const std::string& relative);

}  // namespace volt::http::files
