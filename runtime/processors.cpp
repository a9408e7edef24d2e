#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "runtime/runtime.h"

namespace volt {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// Processors that the cgroup's quota pays for; 0 if it has none. Version 2, then version 1, as a container sees them.
std::uint32_t quota_processors() noexcept {
  long long quota = -1;
  long long period = 0;
  if (const File v2{std::fopen("/sys/fs/cgroup/cpu.max", "re")}) {
    if (std::fscanf(v2.get(), "%lld %lld", &quota, &period) != 2) return 0;  // "max": no quota
  } else {
    const File v1_quota{std::fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "re")};
    const File v1_period{std::fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "re")};
    if (!v1_quota || !v1_period || std::fscanf(v1_quota.get(), "%lld", &quota) != 1 ||
        std::fscanf(v1_period.get(), "%lld", &period) != 1) {
      return 0;
    }
  }
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<std::uint32_t>((quota + period - 1) / period);
}

}  // namespace

std::uint32_t usable_processors() noexcept {
  cpu_set_t allowed;
  const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const std::uint32_t processors =
      known ? std::max<std::uint32_t>(1, static_cast<std::uint32_t>(CPU_COUNT(&allowed))) : 1;
  const std::uint32_t quota = quota_processors();
  return quota == 0 ? processors : std::min(processors, quota);
}

}  // namespace volt
