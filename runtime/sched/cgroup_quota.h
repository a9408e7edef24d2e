// SPDX-License-Identifier: MIT

// The number of processors that the CPU quotas of this process's control groups allow, and how long they have stopped
// it: the quotas of a container, of a service (CPUQuota= of systemd), and of all groups that contain them.
//
// Threads: any; a function without state.
// Source: cgroups(7); Linux' Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace volt::sched {

// Returns the smallest quota in processors, rounded up; 0 if there is no quota or no quota can be read. The arguments
// are for tests.
[[nodiscard]] std::uint32_t quota_processors(const std::string& groups = "/proc/self/cgroup",
                                             const std::string& mount = "/sys/fs/cgroup");

// Returns the time for which these groups were stopped because their quota was used up, added up over processors, since
// the groups were made. Empty if no group counts it. The arguments are for tests.
[[nodiscard]] std::optional<std::int64_t> throttled_ns(const std::string& groups = "/proc/self/cgroup",
                                                       const std::string& mount = "/sys/fs/cgroup");

}  // namespace volt::sched
