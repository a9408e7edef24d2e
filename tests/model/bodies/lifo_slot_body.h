// SPDX-License-Identifier: MIT

// The LIFO slot of a worker that becomes stuck: its worker puts tasks into the slot, displaces one and takes one, while
// two rescuers take what is there. Each task must be taken exactly once, with everything that was written to it.
//
// The slot is the runtime's; the code around it repeats WorkerLoop::push_next, take_lifo and rescue.
#pragma once

#include <array>

#include "runtime/sched/lifo_slot.h"
#include "tests/model/body.h"

namespace volt::model {

// Faults that are left in on purpose; the explorer must find each of them.
enum class LifoFault : std::uint8_t {
  none,
  displaced_dropped,    // the worker forgets the task that it displaces
  looks_before_taking,  // takes a task that it has seen in the slot without looking at what it has taken
};

template <LifoFault kFault = LifoFault::none>
class LifoSlotBody final : public Body {
 public:
  static constexpr unsigned kThreads = 3;

  void thread(unsigned index) override {
    if (index == 0) {
      own();
    } else {
      rescue();
    }
  }

  void finish() override {
    if (Item* item = slot_.take()) item->take();
    for (const Item& item : items_) require(item.taken == 1, "each task is taken exactly once");
  }

 private:
  struct Item {
    int value = 0;  // written by the worker before it puts the task into the slot
    int taken = 0;  // not atomic: a second taker is a race

    void take() {
      require(value == 1, "a task is taken with what was written to it");
      ++taken;
    }
  };

  void own() {
    for (Item& item : items_) {
      item.value = 1;
      Item* displaced = slot_.put(item);
      if (displaced != nullptr && kFault != LifoFault::displaced_dropped) displaced->take();
      if (&item != &items_[1] || slot_.empty()) continue;
      Item* mine = slot_.take();
      if (kFault == LifoFault::looks_before_taking) {
        item.take();
      } else if (mine != nullptr) {
        mine->take();
      }
    }
  }

  void rescue() {
    if (slot_.empty()) return;
    if (Item* item = slot_.take()) item->take();
  }

  sched::LifoSlot<Item> slot_;
  std::array<Item, 4> items_{};
};

}  // namespace volt::model
