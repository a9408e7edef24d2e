// SPDX-License-Identifier: MIT

#include "runtime/per_worker.h"

#include "runtime/sched/scheduler.h"
#include "runtime/sched/worker.h"

namespace volt {

bool on_spare_worker() noexcept {
  const sched::Context& context = sched::worker_context("on_spare_worker()");
  return context.worker_index >= context.scheduler->worker_count();
}

std::chrono::nanoseconds queued_work() noexcept { return sched::worker_context("queued_work()").worker->queued_work(); }

}  // namespace volt
