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

// Adds up the value of `name` in the statistics of one group, if they have it.
void add_stat(const std::string& folder, std::string_view name, std::int64_t unit_ns,
              std::optional<std::int64_t>& sum_ns) {
  std::ifstream stats(folder + "/cpu.stat");
  std::string word;
  for (std::int64_t value = 0; stats >> word >> value;) {
    if (word == name) sum_ns = sum_ns.value_or(0) + value * unit_ns;
  }
}

// Calls `visit` with the folder of a group and of each group that contains it. In a container, `mount` may show the
// container's own group as the root, while `path` is the path that the group has on the host. The folders of that path
// then do not exist.
template <class Visit>
void visit_upwards(const std::string& mount, std::string path, Visit visit) {
  visit(mount);
  for (; path.size() > 1; path.resize(path.rfind('/'))) visit(mount + path);
}

// Calls one of the two functions for each folder that may hold a CPU quota for this process, by the version of the
// control groups.
template <class VisitV2, class VisitV1>
void visit_groups(const std::string& groups, const std::string& mount, VisitV2 visit_v2, VisitV1 visit_v1) {
  std::ifstream lines(groups);
  for (std::string line; std::getline(lines, line);) {  // "4:cpu,cpuacct:/path"; in version 2 "0::/path"
    const std::size_t controllers = line.find(':') + 1;
    const std::size_t path = line.find(":/", controllers);
    if (controllers == 0 || path == std::string::npos) continue;
    const std::string_view names = std::string_view(line).substr(controllers, path - controllers);
    if (names.empty()) visit_upwards(mount, line.substr(path + 1), visit_v2);
    if (has_cpu(names)) visit_upwards(mount + "/cpu", line.substr(path + 1), visit_v1);
  }
}

}  // namespace

std::uint32_t quota_processors(const std::string& groups, const std::string& mount) {
  std::uint32_t least = kNoQuota;
  visit_groups(
      groups, mount, [&](const std::string& folder) { least = std::min(least, quota_of_v2(folder)); },
      [&](const std::string& folder) { least = std::min(least, quota_of_v1(folder)); });
  return least == kNoQuota ? 0 : least;
}

std::optional<std::int64_t> throttled_ns(const std::string& groups, const std::string& mount) {
  std::optional<std::int64_t> sum_ns;
  visit_groups(
      groups, mount, [&](const std::string& folder) { add_stat(folder, "throttled_usec", 1000, sum_ns); },
      [&](const std::string& folder) { add_stat(folder, "throttled_time", 1, sum_ns); });
  return sum_ns;
}

}  // namespace volt::sched
