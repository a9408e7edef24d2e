// SPDX-License-Identifier: MIT

// TurnUse: what a worker's thread has done during one turn of a task: it computed, it was blocked in the kernel, or it
// waited for a processor. The sum of the three is the time since the turn was first sampled.
//
// The thread's processor time is read at each sample. Its state, and the time for which it has waited for a processor
// (its run delay), are read only if it has used the processor for less than half of the time since the sample before,
// because that costs more. The kernel adds a wait to the run delay when the wait ends. So the time that is neither
// processor time nor run delay was spent asleep if the thread is asleep now; otherwise it may be a wait that has not
// ended, and is not charged to the task.
//
// Threads: a value.
#pragma once

#include <cstdint>

#include "runtime/sched/thread_state.h"

namespace volt::sched {

class TurnUse {
 public:
  TurnUse() = default;
  // The first sample of the turn. The two times are those since the start of the thread; negative: unknown.
  TurnUse(std::int64_t at_ns, std::int64_t processor_time_ns, std::int64_t run_delay_ns) noexcept
      : first_ns_(at_ns),
        last_ns_(at_ns),
        first_processor_time_ns_(processor_time_ns),
        processor_time_ns_(processor_time_ns),
        first_run_delay_ns_(run_delay_ns) {}

  // Adds a sample. `read_waits` returns ThreadWaits, and is called if they are needed.
  template <class Read>
  void add(std::int64_t at_ns, std::int64_t processor_time_ns, Read read_waits) noexcept {
    if (add_processor_time(at_ns, processor_time_ns)) add_waits(read_waits());
  }

  // Returns what the thread has done since the sample before the last one. A thread that was found blocked counts as
  // blocked until it has computed. `unknown`: at first, and while the thread only waits for a processor.
  [[nodiscard]] Activity activity() const noexcept { return activity_; }
  [[nodiscard]] std::int64_t first_ns() const noexcept { return first_ns_; }
  [[nodiscard]] std::int64_t last_ns() const noexcept { return last_ns_; }
  [[nodiscard]] std::int64_t lasted_ns() const noexcept { return last_ns_ - first_ns_; }
  [[nodiscard]] std::int64_t computed_ns() const noexcept;
  [[nodiscard]] std::int64_t blocked_ns() const noexcept { return blocked_ns_; }
  [[nodiscard]] std::int64_t waited_ns() const noexcept { return lasted_ns() - computed_ns() - blocked_ns_; }

 private:
  // Returns whether the waits are needed.
  [[nodiscard]] bool add_processor_time(std::int64_t at_ns, std::int64_t processor_time_ns) noexcept;
  void add_waits(const ThreadWaits& waits) noexcept;
  void charge_block() noexcept;

  std::int64_t first_ns_ = 0;
  std::int64_t last_ns_ = 0;
  std::int64_t first_processor_time_ns_ = -1;
  std::int64_t processor_time_ns_ = -1;
  std::int64_t first_run_delay_ns_ = -1;
  std::int64_t run_delay_ns_ = 0;  // since the first sample, as far as it is known
  std::int64_t blocked_ns_ = 0;
  Activity activity_ = Activity::unknown;
};

}  // namespace volt::sched
