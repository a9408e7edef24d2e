// SPDX-License-Identifier: MIT

#include <sched.h>

#include <algorithm>

#include "runtime/runtime.h"
#include "runtime/sched/cgroup_quota.h"

namespace volt {

std::uint32_t usable_processors() noexcept {
  cpu_set_t allowed;
  const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const std::uint32_t processors =
      known ? std::max<std::uint32_t>(1, static_cast<std::uint32_t>(CPU_COUNT(&allowed))) : 1;
  const std::uint32_t quota = sched::quota_processors();
  return quota == 0 ? processors : std::min(processors, quota);
}

}  // namespace volt
