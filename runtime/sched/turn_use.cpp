// SPDX-License-Identifier: MIT

#include "runtime/sched/turn_use.h"

#include <algorithm>

namespace volt::sched {

std::int64_t TurnUse::computed_ns() const noexcept {
  if (processor_time_ns_ < 0 || first_processor_time_ns_ < 0) return 0;
  // Reading the clocks takes time, so the processor time may exceed the time between the samples by a little.
  return std::min(processor_time_ns_ - first_processor_time_ns_, lasted_ns() - blocked_ns_);
}

// A blocked thread that has not used the processor at all is in the same sleep.
bool TurnUse::add_processor_time(std::int64_t at_ns, std::int64_t processor_time_ns) noexcept {
  const std::int64_t elapsed_ns = at_ns - last_ns_;
  const std::int64_t used_ns = processor_time_ns - processor_time_ns_;
  last_ns_ = at_ns;
  if (processor_time_ns < 0) {
    activity_ = Activity::unknown;
    return false;
  }
  processor_time_ns_ = processor_time_ns;
  if (used_ns * 2 >= elapsed_ns) {
    activity_ = Activity::computes;
    return false;
  }
  if (activity_ != Activity::blocked || used_ns != 0) return true;
  charge_block();
  return false;
}

void TurnUse::add_waits(const ThreadWaits& waits) noexcept {
  if (waits.run_delay_ns >= 0 && first_run_delay_ns_ >= 0) run_delay_ns_ = waits.run_delay_ns - first_run_delay_ns_;
  if (!waits.sleeps) return;
  activity_ = Activity::blocked;
  charge_block();
}

void TurnUse::charge_block() noexcept {
  const std::int64_t used_ns = processor_time_ns_ - first_processor_time_ns_;
  blocked_ns_ = std::max(blocked_ns_, lasted_ns() - used_ns - run_delay_ns_);
}

}  // namespace volt::sched
