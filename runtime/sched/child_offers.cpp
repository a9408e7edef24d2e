// SPDX-License-Identifier: MIT

#include "runtime/sched/child_offers.h"

#include "runtime/sched/scheduler.h"

namespace volt::sched {

void ChildOffers::start(ChildOffer& offer) noexcept {
  base::Chain<TaskHeader> tasks;
  offer.make_tasks(tasks);
  worker_.queue_children(tasks);
}

// Called when an offer can be taken and none could before. A worker that parks at this moment may stay asleep, which
// does no harm: the task runs the children itself.
void ChildOffers::offered() noexcept {
  if (worker_.scheduler().idle().any_parked() && worth_.bet()) worker_.notify_one();
}

}  // namespace volt::sched
