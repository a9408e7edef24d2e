// SPDX-License-Identifier: MIT

// GlobalQueue: the queue that all workers share. It holds tasks spawned or woken by other threads. The class is also
// that of other queues without a bound: of heavy tasks, of a worker's urgent ones, and of those that do not fit into
// its local queue.
//
// The items stand in segments, arrays of pointers that form a list. So a worker that takes a batch reads a few cache
// lines under the lock, and not one line of each item, which another thread has written. A segment is allocated without
// the lock when the last one is full, and the queue keeps one that has become empty for later. If memory is short,
// items are linked to each other instead (`rest_`), so a push cannot fail. While items are linked, all items that are
// pushed are linked, too: the segments hold the older items.
//
// Threads: any.
// Lifetime: an item belongs to the queue until it is popped.
// Bound: none. The items are tasks, which exist anyway and whose number is limited where they are created.
//
// Edges
//   L1  spin_lock.h : writes of the pushing thread to an item are visible to the thread that pops it
//   I1  idle_state.h: a push precedes the fence of the pusher, and empty() follows the fence of the parking worker: one
//       of the two sees the other. length_ itself needs no ordering, because of these fences, and because items move
//       under the lock
//
// Rejected: a lock-free queue. Items are pushed and popped in batches, so the lock is taken rarely and held for a few
// stores. Rejected: items that are always linked. With a million runnable tasks, following the links was the largest
// part of a worker's time (loadtest/results/decisions.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/base/spin_lock.h"

namespace volt::sched {

// `Item` has a member `Item* queue_next`.
template <class Item, std::size_t kSegmentItems = 126>
class GlobalQueue {
 public:
  GlobalQueue() = default;
  GlobalQueue(const GlobalQueue&) = delete;
  GlobalQueue& operator=(const GlobalQueue&) = delete;
  ~GlobalQueue() {
    free_all(first_);
    free_all(spare_);
  }

  void push(Item* item) noexcept {
    {
      const std::lock_guard guard(lock_);
      ++single_pushes_;
      if (make_room_locked()) [[likely]] {
        last_->items[last_->end++] = item;
        return count_locked(1);
      }
    }
    base::Chain<Item> items;
    items.push_back(item);
    push_chain(items);
  }

  void push(base::Chain<Item>&& items) noexcept {
    if (!items.empty()) push_chain(items);
  }

  // Returns the oldest item, or null. Takes no lock when the queue appears empty.
  [[nodiscard]] Item* pop() noexcept {
    Item* item = nullptr;
    return pop_batch(&item, 1) != 0 ? item : nullptr;
  }

  // Writes up to `count_max` of the oldest items to `out`, in order. Returns their number.
  [[nodiscard]] std::uint32_t pop_batch(Item** out, std::uint32_t count_max) noexcept {
    if (empty()) return 0;
    Segment* unused = nullptr;
    std::uint32_t count = 0;
    {
      const std::lock_guard guard(lock_);
      while (count != count_max) {
        Item* item = take_locked(unused);
        if (item == nullptr) break;
        out[count++] = item;
      }
      count_locked(-static_cast<std::ptrdiff_t>(count));
    }
    free_all(unused);
    return count;
  }

  // Calls `function(const Item&)` with each item, the oldest first, until it returns false. Holds the lock.
  template <class F>
  void visit_while(F function) const noexcept {
    if (empty()) return;
    const std::lock_guard guard(lock_);
    for (const Segment* segment = first_; segment != nullptr; segment = segment->next) {
      for (std::size_t i = segment->begin; i != segment->end; ++i) {
        if (!function(*segment->items[i])) return;
      }
    }
    for (const Item* item = rest_.front(); item != nullptr; item = item->queue_next) {
      if (!function(*item)) return;
    }
  }

  // Returns the number of items ever pushed one by one.
  [[nodiscard]] std::uint64_t single_pushes() const noexcept {
    const std::lock_guard guard(lock_);
    return single_pushes_;
  }

  [[nodiscard]] std::size_t size() const noexcept { return length_.load(base::relaxed); }  // relaxed: I1
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  // The items from `begin` to `end`, without `end`, are in the queue. Only the single segment of an empty queue has
  // none.
  struct Segment {
    Segment* next = nullptr;
    std::size_t begin = 0;
    std::size_t end = 0;
    std::array<Item*, kSegmentItems> items;
  };

  static void free_all(Segment* segment) noexcept {
    while (segment != nullptr) delete std::exchange(segment, segment->next);
  }

  void push_chain(base::Chain<Item>& items) noexcept {
    Segment* fresh = nullptr;
    bool memory_is_short = false;
    for (;;) {
      {
        const std::lock_guard guard(lock_);
        if (spare_ == nullptr) spare_ = std::exchange(fresh, nullptr);
        const std::size_t before = items.size();
        while (!items.empty() && make_room_locked()) last_->items[last_->end++] = items.pop_front();
        std::size_t pushed = before - items.size();
        if (memory_is_short || !rest_.empty()) {
          pushed = before;
          rest_.append(items);
        }
        count_locked(static_cast<std::ptrdiff_t>(pushed));
      }
      if (items.empty()) break;
      if (fresh == nullptr) fresh = new (std::nothrow) Segment;
      memory_is_short = fresh == nullptr;
    }
    free_all(fresh);
  }

  // Returns whether the last segment has room; appends the spare one if it helps.
  [[nodiscard]] bool make_room_locked() noexcept {
    if (!rest_.empty()) return false;
    if (last_ != nullptr && last_->end != kSegmentItems) return true;
    if (spare_ == nullptr) return false;
    Segment* added = std::exchange(spare_, nullptr);
    (last_ == nullptr ? first_ : last_->next) = added;
    last_ = added;
    return true;
  }

  // Removes and returns the oldest item. A segment that becomes empty is kept, or goes to the list `unused`.
  [[nodiscard]] Item* take_locked(Segment*& unused) noexcept {
    if (first_ == nullptr || first_->begin == first_->end) return rest_.pop_front();
    Item* item = first_->items[first_->begin++];
    if (first_->begin != first_->end) return item;
    first_->begin = first_->end = 0;
    if (first_ == last_) return item;
    Segment* emptied = std::exchange(first_, first_->next);
    Segment*& place = spare_ == nullptr ? spare_ : unused;
    emptied->next = std::exchange(place, emptied);
    return item;
  }

  void count_locked(std::ptrdiff_t change) noexcept {
    // relaxed: I1, and the holder of the lock is the only writer
    length_.store(length_.load(base::relaxed) + static_cast<std::size_t>(change), base::relaxed);
  }

  alignas(base::kNoSharingBytes) mutable base::SpinLock lock_;  // L1
  Segment* first_ = nullptr;                                    // guarded by lock_, as all up to length_
  Segment* last_ = nullptr;                                     // null exactly if first_ is
  Segment* spare_ = nullptr;                                    // empty; for the next push that needs one
  base::Chain<Item> rest_;                                      // newer than the items in segments
  std::uint64_t single_pushes_ = 0;
  // On a cache line of its own, away from the lock. All workers read the length often; only pushes and pops write it.
  alignas(base::kNoSharingBytes) base::Atomic<std::size_t> length_{0};
};

}  // namespace volt::sched
