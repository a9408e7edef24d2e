// SPDX-License-Identifier: MIT

#include "tests/model/bodies/tasks.h"

namespace volt::sched {

// The bodies have no worker to wake or to queue tasks on.
void ChildOffers::offered() noexcept { static_cast<void>(worker_); }
void ChildOffers::start(ChildOffer&) noexcept { model::require(false, "the children are on offer"); }

void enqueue(TaskHeader& task) noexcept { static_cast<model::Tasklet&>(task).enqueue(); }

}  // namespace volt::sched
