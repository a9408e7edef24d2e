// How many processors the CPU quotas of this process's control groups pay for: those of a container, of a service
// (CPUQuota= of systemd), and of whatever they are in.
//
// Threads: a function. Source: cgroups(7); Linux' Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/.
#pragma once

#include <cstdint>
#include <string>

namespace volt::sched {

// The least of them, rounded up; 0 if there is no quota, or nothing can be read. The arguments are for tests.
[[nodiscard]] std::uint32_t quota_processors(const std::string& groups = "/proc/self/cgroup",
                                             const std::string& mount = "/sys/fs/cgroup");

}  // namespace volt::sched
