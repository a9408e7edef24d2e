// SPDX-License-Identifier: MIT

// TimerWheel: deadlines of one worker's tasks, in a hierarchical wheel. Filing, removing and finding the next deadline
// cost a few instructions, however many deadlines there are.
//
// Threads: the wheel does not lock; its owner does. One exception: any thread may move the deadline of a filed node to
// a later time, or to kNever, without the lock, as edge T1 says. The wheel reads the deadline again when the node's
// slot comes up, and refiles the node if necessary. So a deadline that moves with every request costs one store per
// move. To move a deadline to an earlier time, the owner must remove the node, store the deadline and insert the node.
// Lifetime: a node must not move while it is filed; before the wheel is destroyed, every node must have been removed or
// have expired.
//
// Time is counted in ticks of 2^14 ns (16 us), or for a manual clock of 1 us: then a sleep of whole microseconds ends
// exactly on time, and so does a sum of them. A deadline is rounded up to a tick, so nothing expires early. A slot of
// level L spans 64^L ticks. Ticks are written in base 64, one digit for each level. A node's level is the highest digit
// in which its tick differs from the current tick; the node's slot is the value of that digit in its tick. The slot
// comes up when the current tick reaches the start of the slot. The node is then due, or is filed at a lower level. The
// top level is circular; nodes beyond its range, 13 days or 19 hours of a manual clock, wait in its farthest slot.
//
// Invariant W: below the top level, the number of every occupied slot is greater than the current tick's digit of that
// level, and its nodes agree with the current tick in all higher digits. So all nodes of a level are due before all
// nodes of the next level, and the lowest bit set in a level is the slot that comes up next.
//
// Edges
//   T1  the wheel stores filed_ns, then loads deadline_ns again; a mover stores deadline_ns, then loads filed_ns; all
//       seq_cst, so one of the two sees the other (other end: runtime/sched/timers.cpp)
//
// Rejected: a heap (logarithmic, and a moved deadline must be found); one io_uring timeout per deadline (measured to
// cost far more than the single store that a move costs here).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "runtime/base/atomic.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/sched/timer.h"

namespace volt::sched {

class TimerWheel {
 public:
  static constexpr int kTickBits = 14;
  static constexpr std::int64_t kTickNs = std::int64_t{1} << kTickBits;
  static constexpr std::int64_t kManualTickNs = 1'000;
  static constexpr int kSlotBits = 6;
  static constexpr std::uint32_t kSlots = 1u << kSlotBits;
  static constexpr std::uint32_t kLevels = 6;
  static constexpr std::uint8_t kDueLevel = kLevels;  // for nodes filed with a deadline already past

  // `manual`: the times are those of a manual clock.
  explicit TimerWheel(std::int64_t now_ns, bool manual = false) noexcept;
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;

  // Files `node` under its deadline. The node must not be in a list. Does nothing if the deadline is kNever.
  void insert(TimerNode& node) noexcept;

  // Removes `node`. Does nothing and returns false if the node is not filed (it expired, or was dropped at kNever); a
  // node that is still in the `expired` list of an advance stays in that list.
  bool remove(TimerNode& node) noexcept;

  // Moves the current time to `now_ns` (never back) and appends to `expired`, tick by tick, each node whose deadline,
  // rounded up to a tick, has been reached. Nodes found at kNever leave the wheel without expiring. The time taken
  // depends on the slots that come up and their nodes, not on the number of ticks in between.
  void advance(std::int64_t now_ns, base::List<TimerNode>& expired) noexcept;

  // Returns the earliest time at which advance() has work to do. The work may only be to refile a node, so the time may
  // be earlier than the first expiry, but is never later.
  [[nodiscard]] std::optional<std::int64_t> next_wake_ns() const noexcept;

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  using Tick = std::uint64_t;
  static constexpr Tick kNoTick = std::numeric_limits<Tick>::max();

  struct Level {
    std::uint64_t occupied = 0;  // bit s is set if slots[s] is not empty
    std::array<base::List<TimerNode>, kSlots> slots;
  };
  struct Event {
    Tick tick = kNoTick;
    std::uint32_t level = 0;
    std::uint32_t slot = 0;
  };

  // Returns the last tick that is not after the time.
  [[nodiscard]] Tick tick_reached(std::int64_t now_ns) const noexcept;
  // Returns the first tick that is not before the deadline.
  [[nodiscard]] Tick tick_due(std::int64_t deadline_ns) const noexcept;
  [[nodiscard]] std::int64_t time_of(Tick tick) const noexcept;

  [[nodiscard]] Event next_event() const noexcept;
  void file(TimerNode& node, Tick due) noexcept;
  void settle(base::List<TimerNode>& nodes, base::List<TimerNode>& expired) noexcept;
  [[nodiscard]] std::int64_t agree_on_deadline(TimerNode& node) const noexcept;

  const bool manual_;
  Tick now_;
  std::size_t size_ = 0;
  base::List<TimerNode> due_;  // nodes filed with a deadline already past, for the next advance
  std::array<Level, kLevels> levels_;
};

}  // namespace volt::sched
