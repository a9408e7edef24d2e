// SPDX-License-Identifier: MIT

// Two threads push to a global queue whose segments hold two items, one of them a chain, while a third takes items out.
// Each item leaves once, and those of a thread in the order in which it pushed them. The queue is the runtime's.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "runtime/sched/global_queue.h"
#include "tests/model/body.h"

namespace volt::model {

class GlobalQueueBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  void thread(unsigned index) override {
    if (index == 0) push_singly();
    if (index == 1) push_chain();
    if (index == 2) {
      take_batch();
      take_batch();
    }
  }

  void finish() override {
    while (!queue_.empty()) take_batch();
    for (const std::array<Item, kEach>& items : items_) {
      for (const Item& item : items) require(item.order != 0, "each item leaves the queue");
      for (std::size_t i = 1; i != kEach; ++i) {
        require(items[i - 1].order < items[i].order, "items of a thread leave in order");
      }
    }
  }

 private:
  static constexpr std::size_t kEach = 3;
  struct Item {
    Item* queue_next = nullptr;
    int order = 0;  // when it left; not atomic: two threads that take it are a race
  };

  void push_singly() {
    for (Item& item : items_[0]) queue_.push(&item);
  }

  void push_chain() {
    base::Chain<Item> chain;
    for (Item& item : items_[1]) chain.push_back(&item);
    queue_.push(std::move(chain));
  }

  void take_batch() {
    std::array<Item*, 3> batch{};
    const std::uint32_t count = queue_.pop_batch(batch.data(), 3);
    for (std::uint32_t i = 0; i != count; ++i) {
      require(batch[i]->order == 0, "an item leaves once");
      batch[i]->order = ++taken_;
    }
  }

  sched::GlobalQueue<Item, 2> queue_;
  std::array<std::array<Item, kEach>, 2> items_;
  int taken_ = 0;
};

}  // namespace volt::model
