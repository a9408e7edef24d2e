// SPDX-License-Identifier: MIT

#include "runtime/sched/timer_wheel.h"

#include <algorithm>
#include <bit>

namespace volt::sched {
namespace {

constexpr std::uint32_t kTopLevel = TimerWheel::kLevels - 1;

constexpr int shift_of(std::uint32_t level) { return static_cast<int>(level) * TimerWheel::kSlotBits; }

constexpr std::uint32_t digit_of(std::uint64_t tick, std::uint32_t level) {
  return static_cast<std::uint32_t>(tick >> shift_of(level)) % TimerWheel::kSlots;
}

}  // namespace

TimerWheel::TimerWheel(std::int64_t now_ns, bool manual) noexcept : manual_(manual), now_(tick_reached(now_ns)) {}

TimerWheel::Tick TimerWheel::tick_reached(std::int64_t now_ns) const noexcept {
  const auto time_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(now_ns, 0));
  return manual_ ? time_ns / kManualTickNs : time_ns >> kTickBits;
}

TimerWheel::Tick TimerWheel::tick_due(std::int64_t deadline_ns) const noexcept {
  const Tick reached = tick_reached(deadline_ns);
  return deadline_ns > time_of(reached) ? reached + 1 : reached;
}

std::int64_t TimerWheel::time_of(Tick tick) const noexcept {
  return static_cast<std::int64_t>(manual_ ? tick * kManualTickNs : tick << kTickBits);
}

void TimerWheel::insert(TimerNode& node) noexcept {
  VOLT_CHECK(!node.linked());
  const std::int64_t deadline_ns = node.deadline_ns.load(base::seq_cst);  // T1
  if (deadline_ns == TimerNode::kNever) return;
  node.filed_ns.store(deadline_ns, base::seq_cst);  // T1
  file(node, tick_due(deadline_ns));
  ++size_;
}

bool TimerWheel::remove(TimerNode& node) noexcept {
  if (!node.filed()) return false;
  node.unlink();
  if (node.level != kDueLevel) {
    Level& level = levels_[node.level];
    if (level.slots[node.slot].empty()) level.occupied &= ~(std::uint64_t{1} << node.slot);
  }
  node.level = TimerNode::kNotFiled;
  node.filed_ns.store(TimerNode::kNever, base::seq_cst);  // T1
  --size_;
  return true;
}

void TimerWheel::advance(std::int64_t now_ns, base::List<TimerNode>& expired) noexcept {
  if (!due_.empty()) {
    base::List<TimerNode> nodes;
    nodes.splice_back(due_);
    settle(nodes, expired);
  }
  const Tick target = std::max(tick_reached(now_ns), now_);
  for (Event event = next_event(); event.tick <= target; event = next_event()) {
    now_ = event.tick;
    Level& level = levels_[event.level];
    level.occupied &= ~(std::uint64_t{1} << event.slot);
    base::List<TimerNode> nodes;
    nodes.splice_back(level.slots[event.slot]);
    settle(nodes, expired);
  }
  now_ = target;
}

std::optional<std::int64_t> TimerWheel::next_wake_ns() const noexcept {
  const Tick tick = due_.empty() ? next_event().tick : now_;
  if (tick == kNoTick) return std::nullopt;
  return time_of(std::min(tick, tick_reached(TimerNode::kNever)));
}

TimerWheel::Event TimerWheel::next_event() const noexcept {
  for (std::uint32_t level = 0; level != kLevels; ++level) {
    const std::uint64_t occupied = levels_[level].occupied;
    if (occupied == 0) continue;
    // The rotation puts the slots in the order in which they come up, beginning with the current digit's slot. Below
    // the top level, no slot before the current digit is occupied (invariant W), so nothing wraps around.
    const std::uint32_t digit = digit_of(now_, level);
    const auto distance = static_cast<std::uint32_t>(std::countr_zero(std::rotr(occupied, static_cast<int>(digit))));
    return {.tick = ((now_ >> shift_of(level)) + distance) << shift_of(level),
            .level = level,
            .slot = (digit + distance) % kSlots};
  }
  return {};
}

void TimerWheel::file(TimerNode& node, Tick due) noexcept {
  if (due <= now_) {
    node.level = kDueLevel;
    due_.push_back(node);
    return;
  }
  const auto highest_bit = static_cast<std::uint32_t>(std::bit_width(due ^ now_)) - 1;
  const std::uint32_t level = std::min(highest_bit / kSlotBits, kTopLevel);
  std::uint32_t slot = digit_of(due, level);
  if (level == kTopLevel) {
    const Tick distance = (due >> shift_of(level)) - (now_ >> shift_of(level));
    if (distance >= kSlots) slot = (digit_of(now_, level) + kSlots - 1) % kSlots;
  }
  node.level = static_cast<std::uint8_t>(level);
  node.slot = static_cast<std::uint8_t>(slot);
  levels_[level].slots[slot].push_back(node);
  levels_[level].occupied |= std::uint64_t{1} << slot;
}

// Handles the nodes of a slot that came up. Depending on its current deadline, each node expires, is dropped (kNever)
// or is refiled.
void TimerWheel::settle(base::List<TimerNode>& nodes, base::List<TimerNode>& expired) noexcept {
  while (TimerNode* node = nodes.pop_front()) {
    const std::int64_t deadline_ns = agree_on_deadline(*node);
    const Tick due = tick_due(deadline_ns);
    if (deadline_ns != TimerNode::kNever && due > now_) {
      file(*node, due);
      continue;
    }
    node->level = TimerNode::kNotFiled;
    --size_;
    if (deadline_ns != TimerNode::kNever) expired.push_back(*node);
  }
}

// Returns the current deadline of `node`. First stores the deadline in filed_ns, or kNever if the node is about to
// leave the wheel. If a mover changes the deadline at the same time, either the mover sees the new filed_ns, or this
// function sees the mover's deadline and starts over (T1).
std::int64_t TimerWheel::agree_on_deadline(TimerNode& node) const noexcept {
  std::int64_t deadline_ns = node.deadline_ns.load(base::relaxed);  // relaxed: loaded again below
  for (;;) {
    const bool stays = deadline_ns != TimerNode::kNever && tick_due(deadline_ns) > now_;
    node.filed_ns.store(stays ? deadline_ns : TimerNode::kNever, base::seq_cst);  // T1
    const std::int64_t again_ns = node.deadline_ns.load(base::seq_cst);           // T1
    if (again_ns == deadline_ns) return deadline_ns;
    deadline_ns = again_ns;
  }
}

}  // namespace volt::sched
