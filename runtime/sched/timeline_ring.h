// SPDX-License-Identifier: MIT

// TimelineRing: the last events of one worker, for a timeline (timeline.h). While no timeline is recorded, the price of
// each place that would note an event is a load and a branch, and the ring has no memory.
//
// The worker overwrites the oldest event, and never waits for a reader. A recording is the part of the ring between two
// values of head_, which only grows. So no harm is done by a worker that adds an event when the recording has just
// ended.
//
// Threads: the worker owns the ring, and calls on() and the functions that note an event. The other members belong to
// the thread that holds the lock of Timeline.
// Memory: address space for kEventsMax events, from the first event on. Pages are used as events are written, and
// returned by give_back().
//
// Edges
//   Y1  head_ counts an event  ->  read() : the event, and where the slots are
//   Y2  a word of an event is overwritten  ->  read() : after it has read the new word, it reads a head_ that has
//       counted all events before the new one, and so knows that the old event is gone
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/base/atomic.h"
#include "runtime/sched/tasks.h"
#include "runtime/sched/work_class.h"

namespace volt::sched {

struct TaskHeader;
class TurnRecord;

struct TimelineEvent {
  enum class Kind : std::uint8_t {
    // In a turn of a task.
    turn_end,  // `task`, `about`: the index of the work class
    work,      // the task has another work class; `about`: its index
    // These show what the worker has ended, and what it begins.
    park_end,
    park_begin,  // falls asleep in the reactor
    turn_begin,  // `task`, `code`, `number`: a part of the header's address, `about`: the index of the work class
    search,      // begins to search the other workers for work
    // At any time.
    poll_begin,    // enters the kernel to collect events
    poll_end,      //
    theft_end,     // has stolen `number` tasks, `about`: from which worker, `since_ns`: when the theft began
    rescue_end,    // has rescued `number` tasks; otherwise as theft_end
    fork,          // has stolen a part of a fork, `about`: from which worker
    woke_task,     // has made a task runnable, `number`: a part of the header's address
    woke_worker,   // has woken a parked worker, `about`: which
    moved_stream,  // a stream has moved to this worker, `about`: from which worker
  };

  std::int64_t time_ns = 0;  // of CLOCK_MONOTONIC
  Kind kind{};
  std::uint16_t about = 0;
  std::uint32_t number = 0;
  TaskId task = 0;
  std::int64_t since_ns = 0;
  const void* code = nullptr;  // the function that resumes the task's root frame
};

class TimelineRing {
 public:
  using Kind = TimelineEvent::Kind;
  static constexpr std::uint32_t kEventsMax = 1U << 20;

  TimelineRing() = default;
  ~TimelineRing();
  TimelineRing(const TimelineRing&) = delete;
  TimelineRing& operator=(const TimelineRing&) = delete;

  // ---- the worker ----
  [[nodiscard]] bool on() const noexcept { return size_.load(base::relaxed) != 0; }  // relaxed: a worker may be late

  void note(Kind kind, std::uint64_t about = 0) noexcept {
    if (on()) [[unlikely]]
      add({.kind = kind, .about = static_cast<std::uint16_t>(about)});
  }
  void begin_turn(const TaskHeader& task) noexcept {
    if (on()) [[unlikely]]
      add_turn(task);
  }
  void end_turn(const TurnRecord& turn) noexcept {
    if (on()) [[unlikely]]
      add_turn_end(turn);
  }
  // Must be called before the task is put into a queue.
  void woke(const TaskHeader& task) noexcept {
    if (on()) [[unlikely]]
      add_wake(task);
  }
  // Further searches are part of the first, until another event is noted.
  void begin_search() noexcept {
    if (last_ != Kind::search) note(Kind::search);
  }
  // A theft that took no task, or a rescue, is not noted.
  void begin_theft() noexcept {
    if (on()) [[unlikely]]
      theft_since_ns_ = time_ns();
  }
  void end_theft(std::uint32_t victim, std::uint64_t tasks) noexcept { end(Kind::theft_end, victim, tasks); }
  void end_rescue(std::uint32_t victim, std::uint64_t tasks) noexcept { end(Kind::rescue_end, victim, tasks); }

  // ---- the thread that holds the lock of Timeline ----
  // Begins a recording of the last `events` events: a power of two, at most kEventsMax. Returns where it begins.
  [[nodiscard]] std::uint64_t switch_on(std::uint32_t events) noexcept;
  void switch_off() noexcept;
  // Appends the events that the recording has, the oldest first. `from` and `events` are those of switch_on(). Returns
  // how many events are lost, because newer ones have overwritten them. Throws std::bad_alloc.
  std::uint64_t read(std::uint64_t from, std::uint32_t events, std::vector<TimelineEvent>& out) const;
  // Returns the memory of the events to the system.
  void give_back() noexcept;

 private:
  static constexpr std::size_t kWords = 4;
  using Slot = std::array<base::Atomic<std::uint64_t>, kWords>;

  [[nodiscard]] static std::int64_t time_ns() noexcept;
  [[gnu::noinline, gnu::cold]] void add(TimelineEvent event) noexcept;
  [[gnu::noinline, gnu::cold]] void add_turn(const TaskHeader& task) noexcept;
  [[gnu::noinline, gnu::cold]] void add_turn_end(const TurnRecord& turn) noexcept;
  [[gnu::noinline, gnu::cold]] void add_wake(const TaskHeader& task) noexcept;
  void end(Kind kind, std::uint32_t victim, std::uint64_t tasks) noexcept {
    if (tasks != 0 && on()) [[unlikely]]
      add({.kind = kind,
           .about = static_cast<std::uint16_t>(victim),
           .number = static_cast<std::uint32_t>(tasks),
           .since_ns = theft_since_ns_});
  }
  [[nodiscard]] TimelineEvent event_at(std::uint64_t position, std::uint32_t events) const noexcept;

  base::Atomic<std::uint32_t> size_{0};  // of the recording; 0: none
  Kind last_ = Kind::turn_end;           // the kind of the last event
  bool map_failed_ = false;              // there is no memory for the slots
  std::int64_t theft_since_ns_ = 0;
  Slot* slots_ = nullptr;                // mapped for the first event
  base::Atomic<std::uint64_t> head_{0};  // number of events that were ever written
};

}  // namespace volt::sched
