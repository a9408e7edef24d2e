// SPDX-License-Identifier: MIT

#include "runtime/profile.h"

#include <utility>

#include "runtime/base/check.h"
#include "runtime/internal/folded_stacks.h"
#include "runtime/runtime.h"
#include "runtime/sched/scheduler.h"

namespace volt {

Result<std::unique_ptr<ProfileRecording>> ProfileRecording::start(Runtime& runtime,
                                                                  std::chrono::nanoseconds duration_max) {
  sched::Scheduler& scheduler = runtime.scheduler();
  std::unique_ptr<ProfileRecording> recording(new ProfileRecording(scheduler));
  const Result<void> started = scheduler.profiler().start(duration_max);
  if (!started) return std::unexpected(started.error());
  recording->recording_ = true;
  return recording;
}

ProfileRecording::~ProfileRecording() {
  if (recording_) scheduler_.profiler().discard();
}

std::string ProfileRecording::end() {
  VOLT_REQUIRE(recording_, "ProfileRecording::end() was called twice");
  recording_ = false;
  return folded_stacks(scheduler_.profiler().stop());
}

}  // namespace volt
