// MemoryUse: how much memory is in use of what may be: by this process against a figure, or by the cgroup that it is in
// against that one's limit. What the kernel can take back at once, pages of files, does not count.
//
// Threads: any. Errors: what cannot be read is 0. Cost: used_bytes() reads a file of /proc, or two of the cgroup's; some
// microseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace volt {

class MemoryUse {
 public:
  static MemoryUse of_process(std::uint64_t limit_bytes) { return {limit_bytes, "/proc/self/statm", {}}; }

  // Of the cgroup with the lowest limit among the process's own and those around it, of version 2 or else 1. Empty: none
  // of them has a limit. `mounted_at` and `membership` are other places for tests.
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
  std::string stat_file_;  // of a cgroup, else empty
};

}  // namespace volt
