// SPDX-License-Identifier: MIT

// evicting_push: how Tokio and Go add a task to a local queue that may be full: its older half and the task then move
// to the queue that all workers share. Volt keeps such tasks with their worker (runtime/sched/run_queue.h). In the
// model this costs 5 ns a task more than a single claim of the half, as Tokio and Go make it.
//
// Threads: the owner of the queue.
#pragma once

#include <cstdint>
#include <utility>

#include "runtime/base/intrusive_list.h"
#include "runtime/sched/local_queue.h"

namespace volt::scaling {

template <class Item, std::uint32_t kCapacity, class Shared>
void evicting_push(sched::LocalQueue<Item, kCapacity>& queue, Item& item, Shared& shared) {
  if (queue.try_push(&item)) return;
  base::Chain<Item> evicted;
  for (std::uint32_t i = 0; i != kCapacity / 2; ++i) {
    if (Item* old = queue.pop()) evicted.push_back(old);
  }
  evicted.push_back(&item);
  shared.push(std::move(evicted));
}

}  // namespace volt::scaling
