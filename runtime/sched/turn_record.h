// SPDX-License-Identifier: MIT

// TurnRecord: which turn a worker runs, for the watchdog and for reports. A turn lasts from one suspension of a task to
// the next.
//
// Threads: progress() and turn() may be called on any thread; all other members belong to the worker.
//
// The progress word is odd while the worker is in a turn. It changes when a turn begins and when it ends, so each of
// its values belongs to one turn at most.
//
// Edges
//   W2  the task and class of turn N are published  ->  turn() : after it has read the task or class of turn N, it
//       reads a progress word that is at least as new as the end of turn N - 1. So if that word is still the one of its
//       parameter, the task and class are those of no later turn
//   W3  the progress word of a turn is published  ->  turn() : the task and class that it reads next are not older than
//       that turn
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/base/atomic.h"
#include "runtime/sched/tasks.h"
#include "runtime/sched/work_class.h"

namespace volt::sched {

class TurnRecord {
 public:
  struct Turn {
    TaskId task;
    WorkClass work_class;
  };

  void begin(TaskId task, WorkClass work_class) noexcept {
    task_.store(task, base::release);  // W2
    set_class(work_class);
    advance(1);
  }
  void end() noexcept { advance(1); }
  // Changes the progress word within a turn, so that what was found out about its old value no longer applies.
  void renew() noexcept { advance(2); }
  // Changes the class of the turn.
  void set_class(WorkClass work_class) noexcept { work_class_.store(work_class.index(), base::release); }  // W2
  // Returns the class that the last turn had last.
  [[nodiscard]] WorkClass last_class() const noexcept {
    return WorkClass::at(work_class_.load(base::relaxed));  // relaxed: only the worker changes it
  }

  // Returns the task that the last turn ran.
  [[nodiscard]] TaskId last_task() const noexcept { return task_.load(base::relaxed); }  // relaxed: as above

  [[nodiscard]] std::uint64_t progress() const noexcept { return progress_.load(base::relaxed); }  // relaxed: a hint
  [[nodiscard]] static bool in_turn(std::uint64_t progress) noexcept { return (progress & 1) != 0; }

  // Returns the turn during which the progress word has the value `at_progress`, which must be odd. Returns nothing if
  // that turn has ended.
  [[nodiscard]] std::optional<Turn> turn(std::uint64_t at_progress) const noexcept {
    if (progress_.load(base::acquire) != at_progress) return std::nullopt;          // W3
    const Turn turn{.task = task_.load(base::acquire),                              // W2
                    .work_class = WorkClass::at(work_class_.load(base::acquire))};  // W2
    return progress() == at_progress ? std::optional(turn) : std::nullopt;
  }

 private:
  void advance(std::uint64_t by) noexcept {
    progress_.store(progress() + by, base::release);  // W3
  }

  base::Atomic<std::uint64_t> progress_{0};
  base::Atomic<TaskId> task_{0};
  base::Atomic<std::uint16_t> work_class_{0};  // index of a WorkClass
};

}  // namespace volt::sched
