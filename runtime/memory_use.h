// SPDX-License-Identifier: MIT

// MemoryUse: the memory in use, and its limit. Measures either this process, with a limit that the caller sets, or the
// cgroup of this process, with the limit of the cgroup. Pages of files, which the kernel can reclaim at once, do not
// count as used.
//
// Threads: any. Errors: a value that cannot be read counts as 0. Cost: used_bytes() reads one file of /proc, or two
// files of the cgroup.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace volt {

class MemoryUse {
 public:
  static MemoryUse of_process(std::uint64_t limit_bytes) { return {limit_bytes, "/proc/self/statm", {}}; }

  // Searches the process's own cgroup and its ancestors, first in cgroup version 2 and then in version 1. Returns the
  // memory use of the one with the lowest limit; nullopt if none has a limit. `mounted_at` and `membership` let tests
  // use other files.
  static std::optional<MemoryUse> of_cgroup(const std::string& mounted_at = "/sys/fs/cgroup",
                                            const std::string& membership = "/proc/self/cgroup");

  [[nodiscard]] std::uint64_t limit_bytes() const noexcept { return limit_bytes_; }
  [[nodiscard]] std::uint64_t used_bytes() const noexcept;

 private:
  struct Version;

  MemoryUse(std::uint64_t limit_bytes, std::string usage_file, std::string stat_file)
      : limit_bytes_(limit_bytes), usage_file_(std::move(usage_file)), stat_file_(std::move(stat_file)) {}

  static std::optional<MemoryUse> lowest(const Version& version, const std::string& mounted_at, std::string path);

  std::uint64_t limit_bytes_;
  std::string usage_file_;
  std::string stat_file_;  // memory.stat of the cgroup; empty for a process
};

}  // namespace volt
