// SPDX-License-Identifier: MIT

// TimerWheel: deadlines of one worker's tasks, in a hierarchical wheel. Filing, removing and finding the next deadline
// cost a few instructions, however many deadlines there are.
//
// Threads: the wheel does not lock; its owner does. One exception: any thread may move the deadline of a filed node to
// a later time, or to kNever, with a plain relaxed store. The wheel reads the deadline again when the node's slot comes
// up, and refiles the node; so a deadline that moves with every request costs one store. To move a deadline to an
// earlier time: remove, store, insert.
// Lifetime: a node must not move while it is filed; before the wheel is destroyed, every node must have been removed or
// have expired.
//
// Time is counted in ticks of 2^16 ns (66 us). A deadline is rounded up to a tick, so nothing expires early. A slot of
// level L spans 64^L ticks. A node is filed at the level of the highest base-64 digit in which its tick and the current
// tick differ, in the slot with the number of its digit there. The slot comes up when the current tick reaches the
// start of the slot. The node is then due, or is filed at a lower level. The top level is circular; nodes beyond its
// range wait in its farthest slot.
//
// Invariant W: below the top, every occupied slot has a greater number than the current tick's digit at its level, and
// agrees with the current tick in all higher digits. So all nodes of a level come before all nodes of the next level,
// and within a level the lowest bit set is the next slot.
//
// Edges
//   T1  the wheel stores filed_ns, then loads deadline_ns again; a mover stores deadline_ns, then loads filed_ns; all
//       seq_cst, so one of the two sees the other (other end: runtime/sched/timers.cpp)
//
// Rejected: a heap (logarithmic, and a moved deadline must be found); one ring operation per deadline (measured to cost
// far more than the store that is enough here).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/base/atomic.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/sched/timer.h"

namespace volt::sched {

class TimerWheel {
 public:
  static constexpr int kTickBits = 16;
  static constexpr std::int64_t kTickNs = std::int64_t{1} << kTickBits;
  static constexpr int kSlotBits = 6;
  static constexpr std::uint32_t kSlots = 1u << kSlotBits;
  static constexpr std::uint32_t kLevels = 6;
  static constexpr std::uint8_t kDueLevel = kLevels;  // for nodes filed with a deadline already past

  explicit TimerWheel(std::int64_t now_ns) noexcept;
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;

  // Files `node`, which is in no list, under its deadline. Does nothing if the deadline is kNever.
  void insert(TimerNode& node) noexcept;

  // Removes `node`. Does nothing and returns false if the node is not filed (it expired, or was dropped at kNever); a
  // node that is still in the `expired` list of an advance stays in that list.
  bool remove(TimerNode& node) noexcept;

  // Moves the current time to `now_ns` (never back) and appends to `expired`, tick by tick, each node whose deadline,
  // rounded up to a tick, has been reached. Nodes found at kNever leave the wheel without expiring. The time taken
  // depends on the slots that come up and their nodes, not on the number of ticks in between.
  void advance(std::int64_t now_ns, base::List<TimerNode>& expired) noexcept;

  // Returns the earliest time at which advance() would have work, which may only be to refile a node. Never later than
  // the first expiry.
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

  [[nodiscard]] Event next_event() const noexcept;
  void file(TimerNode& node, Tick due) noexcept;
  void settle(base::List<TimerNode>& nodes, base::List<TimerNode>& expired) noexcept;
  [[nodiscard]] std::int64_t agree_on_deadline(TimerNode& node) const noexcept;

  Tick now_;
  std::size_t size_ = 0;
  base::List<TimerNode> due_;  // nodes filed with a deadline already past, for the next advance
  std::array<Level, kLevels> levels_;
};

}  // namespace volt::sched
