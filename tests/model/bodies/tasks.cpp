// SPDX-License-Identifier: MIT

#include "tests/model/bodies/tasks.h"

namespace volt::sched {

// The bodies have no worker to wake, no pinned tasks, and few calls of all().
void ChildOffers::offered() noexcept {}
void ChildOffers::start(ChildOffer&) noexcept { model::require(false, "the children are on offer"); }

void enqueue(TaskHeader& task) noexcept { static_cast<model::Tasklet&>(task).enqueue(); }

}  // namespace volt::sched
