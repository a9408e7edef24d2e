// SPDX-License-Identifier: MIT

#include "runtime/timeline.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/internal/timeline_json.h"
#include "runtime/runtime.h"
#include "runtime/sched/scheduler.h"

namespace volt {

static_assert(TimelineRecording::kEventsMax == sched::TimelineRing::kEventsMax);

TimelineRecording::TimelineRecording(sched::Scheduler& scheduler) noexcept : scheduler_(scheduler) {}

std::unique_ptr<TimelineRecording> TimelineRecording::start(Runtime& runtime, std::uint32_t events) {
  sched::Scheduler& scheduler = runtime.scheduler();
  std::unique_ptr<TimelineRecording> recording(new TimelineRecording(scheduler));
  recording->recording_ = scheduler.timeline().start(std::bit_floor(std::clamp<std::uint32_t>(events, 2, kEventsMax)));
  return recording->recording_ ? std::move(recording) : nullptr;
}

TimelineRecording::~TimelineRecording() {
  if (recording_) scheduler_.timeline().discard();
}

void TimelineRecording::end() {
  VOLT_REQUIRE(recording_, "TimelineRecording::end() was called twice");
  recording_ = false;
  json_ = std::make_unique<TimelineJson>(scheduler_.timeline().stop());
}

std::string TimelineRecording::next_piece() {
  VOLT_REQUIRE(json_ != nullptr, "TimelineRecording::next_piece() was called before end()");
  return json_->next_piece();
}

}  // namespace volt
