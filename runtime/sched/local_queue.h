// SPDX-License-Identifier: MIT

// LocalQueue: the bounded part of a worker's run queue (run_queue.h), a FIFO ring. Its owner adds and takes items; an
// idle worker steals half of them.
//
// Threads: try_push, pop and room belong to the owner; steal_half_into is called on any queue by the owner of the queue
// that it fills; any thread may call size and empty, whose results are estimates unless the caller is the owner.
// Lifetime: the queue holds pointers only and must be empty when it is destroyed.
//
// head_ packs two positions: {steal:32, real:32}. Positions only increase, and wrap; position p is in slot p modulo
// kCapacity. Invariant, with 32-bit wrap-around:
//
//     steal <= real <= tail <= steal + kCapacity
//
//   [real, tail)   queued
//   [steal, real)  claimed by the one active thief, which still reads the slots; empty exactly when no thief is active
//
// Edges
//   Q1  try_push stores tail_  ->  steal loads tail_ : a slot is written before it is offered
//   Q2  a thief's last change of head_  ->  try_push loads head_ : a slot is read before it is used again
//   Q3  any change of head_  ->  steal loads head_, then tail_ : a tail is at least as new as its head, so that their
//       difference never underflows
//   Q4  every claim of head_  x  every other claim : all are read-modify-writes of the one word, so a position has one
//       taker
//
// Rejected: the Chase-Lev deque, whose owner takes the newest task first (unfair to old requests) and whose thieves
// take one task per claim; 16-bit positions, which let a stalled thief's compare-and-swap succeed after 65536 pops
// (tokio #5041); one head, with which the owner may overwrite a slot that a thief has claimed and not yet read.
// A pop without a read-modify-write is not possible here: owner and thieves take from the same end, and an exactly-once
// take needs either a read-modify-write or a store-load fence ("Laws of Order", Attiya et al., POPL 2011).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"
#include "runtime/base/check.h"

namespace volt::sched {

template <class Item, std::uint32_t kCapacity = 256, class Atomics = base::RealAtomics>
class LocalQueue {
  static_assert(kCapacity >= 2 && (kCapacity & (kCapacity - 1)) == 0, "slots are found by masking a position");
  static_assert(kCapacity <= (1u << 30), "positions must not lap each other");

 public:
  LocalQueue() = default;
  LocalQueue(const LocalQueue&) = delete;
  LocalQueue& operator=(const LocalQueue&) = delete;

  // Returns the number of queued items; at most kCapacity.
  [[nodiscard]] std::uint32_t size() const noexcept {
    const Head head = unpack(head_.load(base::acquire));   // Q3
    const std::uint32_t tail = tail_.load(base::acquire);  // Q1
    // The owner may have popped and pushed items between the two loads, so the difference may exceed kCapacity.
    return std::min<std::uint32_t>(tail - head.real, kCapacity);
  }

  // Returns whether the queue is empty. After a push that a fence orders before this call (idle_state.h, edge I1), the
  // result is true only if all items have been taken since.
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

  // Returns how many more items fit. Owner only.
  [[nodiscard]] std::uint32_t room() const noexcept {
    const Head head = unpack(head_.load(base::acquire));   // Q2
    const std::uint32_t tail = tail_.load(base::relaxed);  // relaxed: owner is the only writer
    return kCapacity - (tail - head.steal);
  }

  // Appends an item. Returns false if the queue is full. Owner only.
  [[nodiscard]] bool try_push(Item* item) noexcept {
    const Head head = unpack(head_.load(base::acquire));   // Q2
    const std::uint32_t tail = tail_.load(base::relaxed);  // relaxed: owner is the only writer
    if (tail - head.steal >= kCapacity) return false;
    slot(tail).store(item, base::relaxed);  // relaxed: published by Q1
    tail_.store(tail + 1, base::release);   // Q1
    return true;
  }

  // Returns the oldest item, or null. Owner only.
  [[nodiscard]] Item* pop() noexcept {
    std::uint64_t packed = head_.load(base::acquire);      // Q2
    const std::uint32_t tail = tail_.load(base::relaxed);  // relaxed: owner is the only writer
    for (;;) {
      const Head head = unpack(packed);
      if (head.real == tail) return nullptr;
      const std::uint32_t next = head.real + 1;
      const Head popped{.steal = head.steal == head.real ? next : head.steal, .real = next};
      if (head_.compare_exchange_weak(packed, pack(popped), base::acq_rel,  // Q3 Q4
                                      base::acquire)) {                     // Q2
        return slot(head.real).load(base::relaxed);                         // relaxed: the owner wrote it
      }
    }
  }

  // Moves ceil(n/2) of the oldest items, at most kCapacity/2, into `mine` in one claim. Called by a thief, the owner of
  // `mine`. Returns their number: 0 when this queue is empty, another thief is active, or `mine` is more than half
  // full. Never waits for the owner.
  [[nodiscard]] std::uint32_t steal_half_into(LocalQueue& mine) noexcept {
    if (&mine == this || mine.room() < kCapacity / 2) return 0;
    std::uint32_t first = 0;
    const std::uint32_t count = claim_half(first);
    if (count == 0) return 0;
    const std::uint32_t my_tail = mine.tail_.load(base::relaxed);  // relaxed: this thread owns `mine`
    for (std::uint32_t i = 0; i != count; ++i) {
      Item* item = slot(first + i).load(base::relaxed);   // relaxed: offered by Q1, kept by Q2
      mine.slot(my_tail + i).store(item, base::relaxed);  // relaxed: published by Q1 below
    }
    finish_steal();
    mine.tail_.store(my_tail + count, base::release);  // Q1
    return count;
  }

 private:
  template <class T>
  using Atomic = typename Atomics::template Atomic<T>;

  struct Head {
    std::uint32_t steal;
    std::uint32_t real;
  };
  static constexpr std::uint64_t pack(Head head) noexcept { return std::uint64_t{head.steal} << 32 | head.real; }
  static constexpr Head unpack(std::uint64_t packed) noexcept {
    return {.steal = static_cast<std::uint32_t>(packed >> 32), .real = static_cast<std::uint32_t>(packed)};
  }
  Atomic<Item*>& slot(std::uint32_t position) noexcept { return slots_[position & (kCapacity - 1)]; }

  // Makes the caller the active thief. Returns how many items it claimed, from position `first` on; 0 if there is
  // nothing to claim.
  [[nodiscard]] std::uint32_t claim_half(std::uint32_t& first) noexcept {
    std::uint64_t packed = head_.load(base::acquire);  // Q3
    for (;;) {
      const Head head = unpack(packed);
      const std::uint32_t tail = tail_.load(base::acquire);  // Q1
      if (head.steal != head.real) return 0;
      const std::uint32_t queued = tail - head.real;
      const std::uint32_t count = queued - queued / 2;
      if (count == 0) return 0;
      if (head_.compare_exchange_weak(packed, pack({.steal = head.steal, .real = head.real + count}),
                                      base::acq_rel,     // Q3 Q4
                                      base::acquire)) {  // Q3
        VOLT_CHECK(count <= kCapacity / 2);  // head_ did not change since it was loaded, so tail was within capacity
        first = head.real;
        return count;
      }
    }
  }

  // Gives the claimed slots back to the owner. Called by the active thief after it has read them.
  void finish_steal() noexcept {
    std::uint64_t packed = head_.load(base::relaxed);  // relaxed: the exchange decides
    for (;;) {
      const Head head = unpack(packed);
      if (head_.compare_exchange_weak(packed, pack({.steal = head.real, .real = head.real}),
                                      base::acq_rel,     // Q2 Q3
                                      base::relaxed)) {  // relaxed: a failed exchange is only retried
        return;
      }
    }
  }

  // head_ and tail_ share a line: the owner uses both in every operation, and a thief in every attempt.
  alignas(base::kNoSharingBytes) Atomic<std::uint64_t> head_{0};
  Atomic<std::uint32_t> tail_{0};
  alignas(base::kNoSharingBytes) std::array<Atomic<Item*>, kCapacity> slots_{};
};

}  // namespace volt::sched
