// SPDX-License-Identifier: MIT

// RunQueue: the tasks of one worker that wait for their turns, in the order of their arrival. The oldest ones are in a
// LocalQueue; those that do not fit wait behind it, in a queue with a lock. So a worker with thousands of ready
// connections serves them in turn.
//
// Threads: push, pop and room belong to the owner; steal_half_into is called on any queue by the owner of the queue
// that it fills; any thread may call size and empty, whose results are estimates unless the caller is the owner.
// Lifetime: the queue holds pointers only and must be empty when it is destroyed.
//
// Rejected: what does not fit moves to the queue of all workers, as in Tokio and Go. A worker takes tasks from there at
// intervals, so it served those that fitted into its own queue again and again, while the others waited
// (loadtest/results/decisions.md). Rejected: a larger ring. It only moves the limit.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"
#include "runtime/base/check.h"
#include "runtime/base/uninitialized.h"
#include "runtime/sched/global_queue.h"
#include "runtime/sched/local_queue.h"

namespace volt::sched {

// `Item` has a member `Item* queue_next`.
template <class Item, std::uint32_t kCapacity = 256, class Atomics = base::RealAtomics>
class RunQueue {
 public:
  RunQueue() = default;
  RunQueue(const RunQueue&) = delete;
  RunQueue& operator=(const RunQueue&) = delete;

  // Items move from the overflow to the local queue. The overflow is read first, so that each is counted once or twice.
  [[nodiscard]] std::uint32_t size() const noexcept {
    const std::size_t behind = overflow_.size();
    return local_.size() + static_cast<std::uint32_t>(behind);
  }

  // After a push that a fence orders before this call (idle_state.h, edge I1), the result is true only if all items
  // have been taken since, or if the owner, which is awake, is moving the last ones from the overflow.
  [[nodiscard]] bool empty() const noexcept { return overflow_.empty() && local_.empty(); }

  // Returns how many more items fit into the local queue. Owner only.
  [[nodiscard]] std::uint32_t room() const noexcept { return local_.room(); }

  // Appends an item. Returns false if it had to wait behind the local queue. Owner only.
  bool push(Item* item) noexcept {
    if (!overflows_ && local_.try_push(item)) [[likely]] {
      return true;
    }
    push_behind(item);
    return false;
  }

  // Returns the oldest item, or null if there is none. Owner only. Inlined, because each turn of a task begins with it.
  [[nodiscard, gnu::always_inline]] Item* pop() noexcept {
    if (!overflows_) [[likely]] {
      return local_.pop();
    }
    return refill_and_pop();
  }

  // Moves items of this queue into `mine`: half of those in the local queue or, if it is empty or another thief is
  // active in it, some of those behind it. Called by the owner of `mine`. Returns their number, at most half of the
  // capacity: 0 if there are none, or if the local queue of `mine` is more than half full.
  [[nodiscard]] std::uint32_t steal_half_into(RunQueue& mine) noexcept {
    const std::uint32_t stolen = local_.steal_half_into(mine.local_);
    if (stolen != 0 || overflow_.empty() || &mine == this || mine.local_.room() < kCapacity / 2) return stolen;
    return move_overflow_into(mine.local_);
  }

 private:
  using Local = LocalQueue<Item, kCapacity, Atomics>;

  static constexpr std::uint32_t kBatchMax = std::min<std::uint32_t>(64, kCapacity / 2);

  [[gnu::noinline]] void push_behind(Item* item) noexcept {
    overflow_.push(item);
    overflows_ = true;
    refill();  // thieves may have emptied the local queue during a turn that pushes many items
  }

  [[nodiscard, gnu::noinline]] Item* refill_and_pop() noexcept {
    refill();
    if (Item* item = local_.pop()) return item;
    return overflow_.pop();  // the local queue has no room as long as a thief reads its slots
  }

  void refill() noexcept {
    if (local_.room() < kCapacity / 2) return;
    static_cast<void>(move_overflow_into(local_));
    overflows_ = !overflow_.empty();
  }

  // `local` has room for a batch. Returns the number of items moved.
  std::uint32_t move_overflow_into(Local& local) noexcept {
    VOLT_UNINITIALIZED std::array<Item*, kBatchMax> batch;
    const std::uint32_t count = overflow_.pop_batch(batch.data(), kBatchMax);
    for (std::uint32_t i = 0; i != count; ++i) base::prefetch(*batch[i]);  // loaded all at once, not when each runs
    for (std::uint32_t i = 0; i != count; ++i) VOLT_CHECK(local.try_push(batch[i]));
    return count;
  }

  Local local_;
  GlobalQueue<Item> overflow_;
  bool overflows_ = false;  // overflow_ may have items; read and written by the owner
};

}  // namespace volt::sched
