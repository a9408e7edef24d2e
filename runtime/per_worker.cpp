// SPDX-License-Identifier: MIT

#include "runtime/per_worker.h"

#include "runtime/sched/worker.h"

namespace volt {

std::chrono::nanoseconds queued_work() noexcept { return sched::worker_context("queued_work()").worker->queued_work(); }

}  // namespace volt
