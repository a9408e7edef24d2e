// SPDX-License-Identifier: MIT

// Profiler: samples what the threads of the workers compute, for Runtime profiles (runtime/profile.h).
//
// While a profile is recorded, each thread has a timer on its own processor time, so a thread that sleeps costs nothing
// and is not sampled. The timer sends the rescue signal (rescue_signal.h), whose handler follows the frame pointers of
// the interrupted functions (stack_sample.h).
//
// Rejected: SIGPROF with setitimer(2), which counts the processor time of the process: the kernel may deliver such a
// signal to any thread, and busy threads are sampled too rarely. Rejected: a signal of its own, which every program
// would have to know about.
//
// Threads: any.
#pragma once

#include <sys/types.h>
#include <time.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/base/result.h"
#include "runtime/sched/profile_samples.h"

namespace volt::sched {

class Scheduler;
class Worker;

class Profiler {
 public:
  static constexpr int kSamplesPerSecond = 99;  // not 100, so that it does not follow the rhythm of periodic work

  explicit Profiler(Scheduler& scheduler) noexcept : scheduler_(scheduler) {}

  // Starts a profile of up to that duration. Errors: device_or_resource_busy while there is one, not_supported if the
  // runtime has no rescue signal, and those of timer_create(2). Throws std::bad_alloc.
  [[nodiscard]] Result<void> start(std::chrono::nanoseconds duration_max);
  // Ends the profile, and returns the samples of each worker. Throws std::bad_alloc.
  [[nodiscard]] std::vector<ProfileSamples::Taken> stop();
  // Ends the profile, and drops the samples.
  void discard() noexcept;
  // Must be called when the thread of a spare worker has begun.
  void join(Worker& spare) noexcept;

 private:
  struct ThreadTimer {
    pid_t thread = 0;
    timer_t timer{};
  };

  [[nodiscard]] Result<void> sample(Worker& worker);
  [[nodiscard]] std::uint32_t worker_count() const noexcept;
  void delete_timers() noexcept;
  void discard_locked() noexcept;

  Scheduler& scheduler_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::size_t samples_max_ = 0;  // of each worker; 0: no profile is recorded
  std::vector<ThreadTimer> timers_;
};

}  // namespace volt::sched
