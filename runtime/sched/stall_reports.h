// SPDX-License-Identifier: MIT

// StallReports: decides which stalls the watchdog reports, and calls the observer (Runtime::on_stall).
//
// A turn is reported when a millisecond of it is charged to the task, again at 50 milliseconds and at a second, and
// after its end if it was reported twice. A turn of which nothing is charged, because its thread merely waits for a
// processor, is reported once, when the wait has lasted for 50 milliseconds.
//
// Threads: on_stall() on any thread, the observer's included; all other members belong to the watchdog's thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "runtime/sched/stall.h"
#include "runtime/sched/turn_use.h"

namespace volt::sched {

// The reports of one turn.
struct TurnReports {
  TaskId task = 0;
  std::uint8_t count = 0;  // reports of time that is charged to the task
  bool waited = false;     // it was reported that the thread waits for a processor
};

class StallReports {
 public:
  // Must not throw.
  using Observer = std::function<void(const Stall&)>;
  // Replaces the observer; null: none. Returns after a running call has finished, unless the observer makes the call.
  void on_stall(Observer observer);

  // Sets the maximum number of turns noted between two calls of deliver().
  void reserve(std::size_t turns) { stalls_.reserve(turns); }
  // Notes a turn that lasts. `stack` must be valid until deliver() has returned. Returns true if the turn has just
  // become a stall: time is charged to its task.
  [[nodiscard]] bool note(std::uint32_t worker, TaskId task, const TurnUse& use, TurnReports& reports,
                          std::span<const void* const> stack = {}) noexcept;
  // Notes that a turn has ended.
  void note_end(std::uint32_t worker, const TurnUse& use, const TurnReports& reports,
                std::span<const void* const> stack = {}) noexcept;

  [[nodiscard]] bool empty() const noexcept { return stalls_.empty(); }
  // Calls the observer for what was noted. The caller must hold no lock, so that the observer may replace itself, and
  // delays no worker that wakes the watchdog.
  void deliver();

 private:
  std::vector<Stall> stalls_;  // to be delivered
  std::mutex mutex_;
  std::shared_ptr<const Observer> observer_;  // guarded by mutex_; null: none
  std::uint64_t calls_ = 0;                   // guarded by mutex_; odd while the observer runs
  std::thread::id calling_thread_;            // guarded by mutex_
  std::condition_variable returned_;
};

}  // namespace volt::sched
