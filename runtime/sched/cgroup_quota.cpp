// SPDX-License-Identifier: MIT

#include "runtime/sched/cgroup_quota.h"

#include <algorithm>
#include <fstream>
#include <string_view>

namespace volt::sched {
namespace {

constexpr std::uint32_t kNoQuota = ~0U;

std::uint32_t processors(long long quota, long long period) noexcept {
  if (quota <= 0 || period <= 0) return kNoQuota;  // -1: no quota
  return static_cast<std::uint32_t>(std::min<long long>(quota / period + (quota % period != 0), kNoQuota));
}

std::uint32_t quota_of_v2(const std::string& folder) {
  long long quota = 0;
  long long period = 0;
  std::ifstream(folder + "/cpu.max") >> quota >> period;  // "max 100000": not a number, so there is no quota
  return processors(quota, period);
}

std::uint32_t quota_of_v1(const std::string& folder) {
  long long quota = 0;
  long long period = 0;
  std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
  std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  return processors(quota, period);
}

bool has_cpu(std::string_view controllers) noexcept {
  for (;;) {
    const std::size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == "cpu") return true;
    if (comma == std::string_view::npos) return false;
    controllers.remove_prefix(comma + 1);
  }
}

// Returns the smallest quota of a group and of the groups that contain it. In a container, `mount` may show the
// container's own group as the root, while `path` is the path that the group has on the host. The folders of that path
// then do not exist, and a folder that does not exist has no quota.
template <class QuotaOf>
std::uint32_t least_quota(const std::string& mount, std::string path, QuotaOf quota_of) {
  std::uint32_t least = quota_of(mount);
  for (; path.size() > 1; path.resize(path.rfind('/'))) least = std::min(least, quota_of(mount + path));
  return least;
}

}  // namespace

std::uint32_t quota_processors(const std::string& groups, const std::string& mount) {
  std::uint32_t least = kNoQuota;
  std::ifstream lines(groups);
  for (std::string line; std::getline(lines, line);) {  // "4:cpu,cpuacct:/path"; in version 2 "0::/path"
    const std::size_t controllers = line.find(':') + 1;
    const std::size_t path = line.find(":/", controllers);
    if (controllers == 0 || path == std::string::npos) continue;
    const std::string_view names = std::string_view(line).substr(controllers, path - controllers);
    if (names.empty()) least = std::min(least, least_quota(mount, line.substr(path + 1), quota_of_v2));
    if (has_cpu(names)) least = std::min(least, least_quota(mount + "/cpu", line.substr(path + 1), quota_of_v1));
  }
  return least == kNoQuota ? 0 : least;
}

}  // namespace volt::sched
