// Opening a path that must not leave the directory below which it was asked for, whatever links, mounts and renames do
// meanwhile: the kernel holds it there (openat2(2)). Comparing canonical paths first and opening then is a race.
//
// Threads: any. They wait as long as the file system does.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/file_descriptor.h"
#include "runtime/result.h"

namespace volt::http::files {

enum class Symlinks : std::uint8_t {
  refused,
  followed,  // as long as they stay beneath; never through the links of /proc
};

enum class Waiting : bool {
  refused,  // only for what the kernel has in its caches
  allowed,  // for the device, or the network behind a mount
};

// Opens for reading, without waiting for the other end of a FIFO. `relative` is not empty. Errors: as of openat2(2):
// cross_device_link where the path leads out, too_many_symbolic_link_levels where a link is refused,
// resource_unavailable_try_again where renames kept it from being sure, and with Waiting::refused wherever it is not
// known without waiting. Where the kernel or a sandbox has no openat2: walk_beneath().
Result<FileDescriptor> open_beneath(int directory, const std::string& relative, Symlinks symlinks,
                                    Waiting waiting = Waiting::allowed);

// The same, name by name: without openat2 no link can be followed safely, so each is refused. `..` is refused too.
Result<FileDescriptor> walk_beneath(int directory, const std::string& relative);

}  // namespace volt::http::files
