// SPDX-License-Identifier: MIT

// ProfileRecording: a processor profile of the workers of a runtime: in which functions they compute, by route and
// task.
//
//   auto recording = ProfileRecording::start(runtime, 5s);
//   co_await sleep_for(5s);
//   if (recording) file << (*recording)->end();
//
// The text is in the "folded" form that flamegraph.pl, inferno and speedscope.app read. The operators' server makes it
// on demand (/debug/profile, http/ops/ops.h). docs/debugging.md describes how to read it.
//
// Each thread is interrupted by the rescue signal (RuntimeOptions::rescue_signal) 99 times in each second of its
// processor time, and notes the functions that it is in. Threads that sleep are not sampled. While nothing is recorded
// there are no timers, no signals and no memory for samples.
//
// Threads: a recording is used by one thread at a time, which may be one of the runtime.
// Lifetime: a recording must end, or be destroyed, before its runtime.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "runtime/result.h"

namespace volt {

class Runtime;

namespace sched {
class Scheduler;
}

class ProfileRecording {
 public:
  // Starts a recording that keeps the samples of `duration_max`. Errors: device_or_resource_busy while the runtime is
  // being profiled already, not_supported if it has no rescue signal, and those of timer_create(2). Throws
  // std::bad_alloc.
  [[nodiscard]] static Result<std::unique_ptr<ProfileRecording>> start(Runtime& runtime,
                                                                       std::chrono::nanoseconds duration_max);
  ~ProfileRecording();  // discards a recording that has not ended
  ProfileRecording(const ProfileRecording&) = delete;
  ProfileRecording& operator=(const ProfileRecording&) = delete;

  // Ends the recording, so that another one may start, and returns the profile. Must be called once. It takes
  // milliseconds. Throws std::bad_alloc.
  [[nodiscard]] std::string end();

 private:
  explicit ProfileRecording(sched::Scheduler& scheduler) noexcept : scheduler_(scheduler) {}

  sched::Scheduler& scheduler_;
  bool recording_ = false;
};

}  // namespace volt
