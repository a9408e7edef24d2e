// SPDX-License-Identifier: MIT

// The local queue, used by its owner and two thieves.
#pragma once

#include <array>
#include <type_traits>

#include "runtime/sched/local_queue.h"
#include "tests/model/body.h"

namespace volt::model {

// The thread that takes an item writes `taken`, which is not atomic: a second taker is a race.
struct Item {
  Item* queue_next = nullptr;
  int value = 0;  // written by the owner before it pushes the item
  int taken = 0;

  void take() {
    require(value == 1, "a taken item contains the value that its owner wrote");
    ++taken;
  }
};

// The queue's slots are relaxed atomics only because the language requires them to be atomic. The queue guarantees
// more: no thread reads a slot while another writes it. So a slot is plain memory here, and each access must be
// ordered.
template <class T>
struct PlainSlot {
  T value{};
  [[nodiscard]] T load(std::memory_order) const noexcept { return value; }
  void store(T desired, std::memory_order) noexcept { value = desired; }
};
struct PlainSlots {
  template <class T>
  using Atomic = std::conditional_t<std::is_pointer_v<T>, PlainSlot<T>, base::Atomic<T>>;
};
using Queue = sched::LocalQueue<Item, 4, PlainSlots>;

// Six items pass through a ring of four while its owner pushes and pops, and two thieves steal from it.
class LocalQueueBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  void thread(unsigned index) override {
    if (index == 0) {
      own();
    } else {
      rob(thieves_[index - 1]);
    }
  }

  void finish() override {
    drain(queue_);
    for (Queue& queue : thieves_) drain(queue);
    for (const Item& item : items_) require(item.taken == 1, "each item is taken exactly once");
  }

 private:
  static void drain(Queue& queue) {
    while (Item* item = queue.pop()) item->take();
  }

  void own() {
    for (std::size_t i = 0; i != items_.size(); ++i) {
      items_[i].value = 1;
      if (!queue_.try_push(&items_[i])) items_[i].take();
      if (i != 2) continue;
      if (Item* item = queue_.pop()) item->take();
    }
    if (Item* item = queue_.pop()) item->take();
  }

  void rob(Queue& mine) {
    const std::uint32_t stolen = queue_.steal_half_into(mine);
    require(stolen <= 2, "a thief takes at most half");
    for (std::uint32_t i = 0; i != stolen; ++i) {
      Item* item = mine.pop();
      require(item != nullptr, "a thief has the items that it stole");
      item->take();
    }
  }

  std::array<Item, 6> items_{};
  Queue queue_;
  std::array<Queue, 2> thieves_;
};

}  // namespace volt::model
