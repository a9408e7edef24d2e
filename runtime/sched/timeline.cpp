// SPDX-License-Identifier: MIT

#include "runtime/sched/timeline.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/sched/clock.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/worker.h"

namespace volt::sched {

std::uint32_t Timeline::worker_count() const noexcept {
  return scheduler_.worker_count() + scheduler_.spares().count();
}

bool Timeline::start(std::uint32_t events) {
  const std::scoped_lock lock(mutex_);
  if (events_ != 0) return false;
  from_.assign(scheduler_.worker_slots(), 0);
  events_ = events;
  began_ns_ = now_ns();
  for (std::uint32_t i = 0; i != worker_count(); ++i) from_[i] = scheduler_.worker(i).timeline().switch_on(events);
  return true;
}

void Timeline::join(Worker& spare) noexcept {
  const std::scoped_lock lock(mutex_);
  if (events_ == 0 || spare.timeline().on()) return;
  from_[spare.index()] = spare.timeline().switch_on(events_);
}

void Timeline::switch_off() noexcept {
  events_ = 0;
  for (std::uint32_t i = 0; i != worker_count(); ++i) scheduler_.worker(i).timeline().switch_off();
}

void Timeline::discard() noexcept {
  const std::scoped_lock lock(mutex_);
  switch_off();
  for (std::uint32_t i = 0; i != worker_count(); ++i) scheduler_.worker(i).timeline().give_back();
}

Timeline::Recording Timeline::stop() {
  const std::scoped_lock lock(mutex_);
  const std::uint32_t events = events_;
  const std::uint32_t workers = worker_count();
  switch_off();
  Recording recording{.began_ns = began_ns_, .ended_ns = now_ns()};
  recording.tracks.reserve(workers);
  for (std::uint32_t i = 0; i != workers; ++i) {
    Worker& worker = scheduler_.worker(i);
    const bool is_spare = i >= scheduler_.worker_count();
    Track track{.worker = i, .is_spare = is_spare, .is_parked = is_spare || scheduler_.idle().is_parked(i)};
    const std::uint64_t progress = worker.progress();
    if (Worker::in_task(progress)) track.turn = worker.turn(progress);
    track.lost = worker.timeline().read(from_[i], events, track.events);
    worker.timeline().give_back();
    // The ring may have kept events from before the recording, if its worker did not see the recording start at once.
    std::erase_if(track.events, [this](const TimelineEvent& event) { return event.time_ns < began_ns_; });
    recording.tracks.push_back(std::move(track));
  }
  return recording;
}

}  // namespace volt::sched
