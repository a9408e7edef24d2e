// SPDX-License-Identifier: MIT

#include "runtime/wall_clock.h"

#include "runtime/sched/current.h"
#include "runtime/sched/scheduler.h"

namespace volt {

std::chrono::system_clock::time_point wall_now() noexcept {
  sched::Scheduler* const scheduler = sched::current_scheduler();
  if (scheduler == nullptr || !scheduler->clock().manual()) return std::chrono::system_clock::now();
  return scheduler->clock().wall_now();
}

void set_wall_clock(std::chrono::system_clock::time_point time) noexcept {
  sched::spawning_scheduler("set_wall_clock()").clock().set_wall(time);
}

}  // namespace volt
