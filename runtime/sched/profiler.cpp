// SPDX-License-Identifier: MIT

#include "runtime/sched/profiler.h"

#include <algorithm>
#include <new>
#include <utility>

#include "runtime/sched/scheduler.h"
#include "runtime/sched/worker.h"

namespace volt::sched {

std::uint32_t Profiler::worker_count() const noexcept {
  return scheduler_.worker_count() + scheduler_.spares().count();
}

Result<void> Profiler::start(std::chrono::nanoseconds duration_max) {
  const std::scoped_lock lock(mutex_);
  if (samples_max_ != 0) return error(std::errc::device_or_resource_busy);
  if (!scheduler_.rescue_signal().enabled()) return error(std::errc::not_supported);
  const double seconds = std::chrono::duration<double>(duration_max).count();
  timers_.reserve(2 * scheduler_.worker_slots());  // a spare may have several threads, one after the other
  samples_max_ = static_cast<std::size_t>(seconds * kSamplesPerSecond * 1.2) + 16;
  Result<void> started;
  try {
    for (std::uint32_t i = 0; i != worker_count() && started; ++i) started = sample(scheduler_.worker(i));
  } catch (const std::bad_alloc&) {  // decided: there is no profile
    started = error(std::errc::not_enough_memory);
  }
  if (!started) discard_locked();
  return started;
}

// A spare without a thread gets its timer when the thread begins.
Result<void> Profiler::sample(Worker& worker) {
  const bool has_timer = std::ranges::count(timers_, worker.thread(), &ThreadTimer::thread) != 0;
  if (has_timer || timers_.size() == timers_.capacity() || worker.thread() == 0) return {};
  if (!worker.profile().on()) worker.profile().start(samples_max_);
  const Result<timer_t> timer = scheduler_.rescue_signal().send_periodically(
      worker.thread(), std::chrono::nanoseconds(std::chrono::seconds(1)) / kSamplesPerSecond);
  if (!timer) {
    const bool has_ended = timer.error() == std::errc::invalid_argument && worker.index() >= scheduler_.worker_count();
    return has_ended ? Result<void>() : std::unexpected(timer.error());
  }
  timers_.push_back({.thread = worker.thread(), .timer = *timer});
  return {};
}

void Profiler::join(Worker& spare) noexcept {
  const std::scoped_lock lock(mutex_);
  if (samples_max_ == 0) return;
  try {
    static_cast<void>(sample(spare));
  } catch (const std::bad_alloc&) {  // decided: the spare is missing in the profile
  }
}

void Profiler::delete_timers() noexcept {
  samples_max_ = 0;
  for (const ThreadTimer& each : timers_) ::timer_delete(each.timer);
  timers_.clear();
  timers_.shrink_to_fit();
}

void Profiler::discard() noexcept {
  const std::scoped_lock lock(mutex_);
  discard_locked();
}

void Profiler::discard_locked() noexcept {
  delete_timers();
  for (std::uint32_t i = 0; i != worker_count(); ++i) static_cast<void>(scheduler_.worker(i).profile().stop());
}

std::vector<ProfileSamples::Taken> Profiler::stop() {
  const std::scoped_lock lock(mutex_);
  delete_timers();
  std::vector<ProfileSamples::Taken> taken;
  taken.reserve(worker_count());
  for (std::uint32_t i = 0; i != worker_count(); ++i) taken.push_back(scheduler_.worker(i).profile().stop());
  return taken;
}

}  // namespace volt::sched
