// Deadlines of one worker's tasks, in a hierarchical wheel: filing, removing and finding the next one cost a few
// instructions, however many there are.
//
// Threads: none of this locks; the owner does. One exception: the deadline of a filed node may be moved later, or to
// kNever, by a plain relaxed store from any thread. The wheel looks again when the node's slot comes up and files it
// anew; so a deadline that moves with every request costs one store. To move it earlier: remove, store, insert.
// Lifetime: a node stays put while it is filed; before the wheel dies every node has been removed or has expired.
//
// Time is counted in ticks of 2^16 ns (66 us). A deadline is rounded up to a tick, so nothing expires early. A slot of
// level L spans 64^L ticks. A node is filed at the level of the highest base-64 digit in which its tick and the present
// differ, in the slot named by its digit there: it comes up when the present reaches the start of that slot, and is
// then due, or is filed at a lower level. The top level is circular; what lies beyond it waits in its farthest slot.
//
// Invariant W: below the top, every occupied slot has a greater number than the present's digit at its level, and
// agrees with the present in all higher digits. So everything at a level comes before anything at the next, and within
// a level the lowest bit set is the next slot.
//
// Edges
//   T1  the wheel stores filed_ns, then looks at deadline_ns again; a mover stores deadline_ns, then looks at filed_ns;
//       all seq_cst, so one of the two sees the other (other end: runtime/sched/timers.cpp)
//
// Rejected: a heap (logarithmic, and a moved deadline must be found); one ring operation per deadline (743 ns to arm
// and remove where a store does).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "runtime/base/atomic.h"
#include "runtime/base/intrusive_list.h"

namespace volt::sched {

struct TimerNode : base::ListNode {
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  // On the clock that the wheel is advanced by.
  base::Atomic<std::int64_t> deadline_ns{kNever};

  // The deadline under which the wheel holds it, kNever while it does not. A mover that finds it at or before its new
  // deadline knows that the wheel will look again in time.
  base::Atomic<std::int64_t> filed_ns{kNever};

  [[nodiscard]] bool filed() const noexcept { return level != kNotFiled; }

  // The wheel's own.
  static constexpr std::uint8_t kNotFiled = 0xff;
  std::uint8_t level = kNotFiled;  // 0..5, TimerWheel::kDueLevel or kNotFiled
  std::uint8_t slot = 0;           // 0..63
};

class TimerWheel {
 public:
  static constexpr int kTickBits = 16;
  static constexpr std::int64_t kTickNs = std::int64_t{1} << kTickBits;
  static constexpr int kSlotBits = 6;
  static constexpr std::uint32_t kSlots = 1u << kSlotBits;
  static constexpr std::uint32_t kLevels = 6;
  static constexpr std::uint8_t kDueLevel = kLevels;  // filed with a deadline already past

  explicit TimerWheel(std::int64_t now_ns) noexcept;
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;

  // Files `node`, which is in no list, under its deadline; does nothing if that is kNever.
  void insert(TimerNode& node) noexcept;

  // Takes `node` out. Does nothing, and says false, if it is not filed (it expired, or was dropped at kNever); a node
  // that is still in the `expired` list of an advance stays there.
  bool remove(TimerNode& node) noexcept;

  // Moves the present to `now_ns` (never back) and appends to `expired`, tick by tick, each node whose deadline,
  // rounded up to a tick, has been reached. Nodes found at kNever leave the wheel without expiring. Takes time for the
  // slots that come up and their nodes, not for the ticks in between.
  void advance(std::int64_t now_ns, base::List<TimerNode>& expired) noexcept;

  // The earliest time at which advance would find something to do, if only to file a node anew. Never later than the
  // first expiry.
  [[nodiscard]] std::optional<std::int64_t> next_wake_ns() const noexcept;

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  using Tick = std::uint64_t;
  static constexpr Tick kNoTick = std::numeric_limits<Tick>::max();

  struct Level {
    std::uint64_t occupied = 0;  // bit s: slots[s] is not empty
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
  base::List<TimerNode> due_;  // filed with a deadline already past: for the next advance
  std::array<Level, kLevels> levels_;
};

}  // namespace volt::sched
