// SPDX-License-Identifier: MIT

// When a worker trims its frame pool (coro/frame_pool.h): when it is about to park, the pool has a surplus, and its
// last trim is a second ago. Other workers may free the blocks of a worker that is parked already, so the watchdog
// wakes parked workers whose pools have a surplus, once a second and before its own sleep. Without a watchdog, a worker
// that parks with a surplus wakes up after a second.
//
// Worker 0 also trims the pool of the threads that are not workers (coro/shared_frame_pool.h).
#include "runtime/coro/shared_frame_pool.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/watchdog.h"
#include "runtime/sched/worker.h"

namespace volt::sched {
namespace {

// The number of blocks of one step of a trim, which takes some ten microseconds. Between two steps the worker collects
// events and looks for work.
constexpr std::uint32_t kTrimBlocks = 256;

}  // namespace

bool Worker::has_frames_to_trim() const noexcept {
  return frames_.has_surplus() || (index_ == 0 && coro::SharedFramePool::of_process().has_surplus());
}

// Returns free memory of the frame pool to the kernel, one step at a time. Returns false if there is nothing left to
// do. On a manual clock no time passes between two bursts, so nothing is trimmed.
bool Worker::trim_frames() noexcept {
  if (!trims_) {
    if (clock_.manual() || !has_frames_to_trim()) return false;
    if (context_.tick_time_ns < trimmed_at_ns_ + kTrimIntervalNs) return false;
  }
  trims_ = frames_.trim(kTrimBlocks) || (index_ == 0 && coro::SharedFramePool::of_process().trim(kTrimBlocks));
  trimmed_at_ns_ = context_.tick_time_ns;
  return trims_;
}

bool Watchdog::any_frames_to_trim() const noexcept {
  if (scheduler_.clock().manual()) return false;
  for (std::uint32_t i = 0; i != scheduler_.worker_count(); ++i) {
    if (scheduler_.worker(i).has_frames_to_trim()) return true;
  }
  return false;
}

void Watchdog::wake_for_trim() noexcept {
  if (scheduler_.clock().manual()) return;
  for (std::uint32_t i = 0; i != scheduler_.worker_count(); ++i) {
    Worker& worker = scheduler_.worker(i);
    if (worker.has_frames_to_trim()) worker.look_again();
  }
}

}  // namespace volt::sched
