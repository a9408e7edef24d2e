// SPDX-License-Identifier: MIT

// Timeline: a recording of what the workers of a scheduler do, event by event: tasks, sleep, searches, thefts, rescues.
// Each worker notes its events in a ring of its own (timeline_ring.h). runtime/timeline.h is the public interface.
//
// Threads: any. Errors: memory that is missing for events of a worker counts as lost events.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/sched/timeline_ring.h"
#include "runtime/sched/turn_record.h"

namespace volt::sched {

class Scheduler;
class Worker;

class Timeline {
 public:
  // The part of a recording that concerns one worker.
  struct Track {
    std::uint32_t worker = 0;
    bool is_spare = false;
    bool is_parked = false;                // when the recording ended
    std::optional<TurnRecord::Turn> turn;  // runs when the recording ends
    std::uint64_t lost = 0;                // events that newer ones have overwritten
    std::vector<TimelineEvent> events;     // from the oldest to the newest
  };
  struct Recording {
    std::int64_t began_ns = 0;
    std::int64_t ended_ns = 0;
    std::vector<Track> tracks;
  };

  explicit Timeline(Scheduler& scheduler) noexcept : scheduler_(scheduler) {}

  // Starts a recording, which keeps the last `events` events of each worker: a power of two, at most
  // TimelineRing::kEventsMax. Returns false if there is one already. Throws std::bad_alloc.
  [[nodiscard]] bool start(std::uint32_t events);
  // Ends the recording. Throws std::bad_alloc; the recording has then ended as well.
  [[nodiscard]] Recording stop();
  // Ends the recording, and drops its events.
  void discard() noexcept;
  // Must be called when a spare worker has been published: it may have missed the start of the recording.
  void join(Worker& spare) noexcept;

 private:
  [[nodiscard]] std::uint32_t worker_count() const noexcept;
  void switch_off() noexcept;

  Scheduler& scheduler_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::uint32_t events_ = 0;  // of the current recording; 0: none
  std::int64_t began_ns_ = 0;
  std::vector<std::uint64_t> from_;  // where the recording begins in the ring of each worker
};

}  // namespace volt::sched
