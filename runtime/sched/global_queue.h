// SPDX-License-Identifier: MIT

// GlobalQueue: the queue that all workers share. It holds tasks spawned or woken by other threads, and tasks that did
// not fit into a local queue.
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
// stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"
#include "runtime/base/intrusive_list.h"
#include "runtime/base/spin_lock.h"

namespace volt::sched {

// `Item` has a member `Item* queue_next`.
template <class Item>
class GlobalQueue {
 public:
  GlobalQueue() = default;
  GlobalQueue(const GlobalQueue&) = delete;
  GlobalQueue& operator=(const GlobalQueue&) = delete;

  void push(Item* item) noexcept {
    const std::lock_guard guard(lock_);
    items_.push_back(item);
    ++single_pushes_;
    publish_length_locked();
  }

  void push(base::Chain<Item>&& items) noexcept {
    if (items.empty()) return;
    const std::lock_guard guard(lock_);
    items_.append(items);
    publish_length_locked();
  }

  // Returns the oldest item, or null. Takes no lock when the queue appears empty.
  [[nodiscard]] Item* pop() noexcept {
    if (empty()) return nullptr;
    const std::lock_guard guard(lock_);
    Item* item = items_.pop_front();
    publish_length_locked();
    return item;
  }

  // Writes up to `count_max` of the oldest items to `out`, in order. Returns their number.
  [[nodiscard]] std::uint32_t pop_batch(Item** out, std::uint32_t count_max) noexcept {
    if (empty()) return 0;
    const std::lock_guard guard(lock_);
    std::uint32_t count = 0;
    while (count != count_max) {
      Item* item = items_.pop_front();
      if (item == nullptr) break;
      out[count++] = item;
    }
    publish_length_locked();
    return count;
  }

  // Calls `function` with the oldest item, if there is one, under the lock.
  template <class F>
  void visit_oldest(F function) const noexcept {
    if (empty()) return;
    const std::lock_guard guard(lock_);
    if (const Item* item = items_.front()) function(*item);
  }

  // Returns the number of items ever pushed one by one.
  [[nodiscard]] std::uint64_t single_pushes() const noexcept {
    const std::lock_guard guard(lock_);
    return single_pushes_;
  }

  [[nodiscard]] std::size_t size() const noexcept { return length_.load(base::relaxed); }  // relaxed: I1
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

 private:
  void publish_length_locked() noexcept { length_.store(items_.size(), base::relaxed); }  // relaxed: I1

  alignas(base::kNoSharingBytes) mutable base::SpinLock lock_;  // L1
  base::Chain<Item> items_;                                     // guarded by lock_
  std::uint64_t single_pushes_ = 0;                             // guarded by lock_
  // On a cache line of its own, away from the lock. All workers read the length often; only pushes and pops write it.
  alignas(base::kNoSharingBytes) base::Atomic<std::size_t> length_{0};
};

}  // namespace volt::sched
