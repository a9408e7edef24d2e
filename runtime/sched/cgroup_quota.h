// SPDX-License-Identifier: MIT

// The number of processors that the CPU quotas of this process's control groups allow: the quotas of a container, of a
// service (CPUQuota= of systemd), and of all groups that contain them.
//
// Threads: any; a function without state.
// Source: cgroups(7); Linux' Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/.
#pragma once

#include <cstdint>
#include <string>

namespace volt::sched {

// Returns the smallest quota in processors, rounded up; 0 if there is no quota or no quota can be read. The arguments
// are for tests.
[[nodiscard]] std::uint32_t quota_processors(const std::string& groups = "/proc/self/cgroup",
                                             const std::string& mount = "/sys/fs/cgroup");

}  // namespace volt::sched
