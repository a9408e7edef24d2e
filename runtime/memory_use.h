// SPDX-License-Identifier: MIT

// MemoryUse: memory in use and its limit, either for this process against a given limit, or for the process's cgroup
// against the limit of the cgroup. Pages of files, which the kernel can reclaim at once, do not count as used.
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

  // Returns the memory use of the cgroup with the lowest limit among the process's own cgroup and its ancestors, of
  // version 2 or else version 1. Empty if none of them has a limit. `mounted_at` and `membership` let tests use other
  // files.
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
