// SPDX-License-Identifier: MIT

#include "runtime/work_class.h"

#include <algorithm>

#include "runtime/sched/clock.h"
#include "runtime/sched/current.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/worker.h"

namespace volt {

bool begin_work(WorkClass work_class) noexcept { return sched::current()->worker->begin_work(work_class); }

void end_work() noexcept { sched::current()->task->work_class = WorkClass(); }

std::chrono::nanoseconds heavy_queue_delay() noexcept {
  const sched::Context& context = *sched::current();
  const std::int64_t since_ns = context.scheduler->heavy().oldest_since_ns();
  return std::chrono::nanoseconds(std::max<std::int64_t>(0, context.tick_time_ns - since_ns));
}

std::chrono::nanoseconds longest_heavy_turn() noexcept {
  const sched::Context& context = *sched::current();
  return std::chrono::nanoseconds(context.scheduler->heavy().longest_turn_ns(context.task->work_class));
}

void add_to_queued_time(std::chrono::nanoseconds waited) noexcept { sched::current()->queued_for_ns += waited.count(); }

std::chrono::steady_clock::time_point queued_since() noexcept {
  using std::chrono::steady_clock;
  const sched::Context& context = *sched::current();
  const std::chrono::nanoseconds queued_for(context.queued_for_ns);
  if (context.clock->manual()) [[unlikely]] {
    return steady_clock::now() - queued_for;
  }
  return steady_clock::time_point(std::chrono::nanoseconds(context.tick_time_ns) - queued_for);
}

void count_operations(std::uint32_t count) noexcept { sched::current()->budget.consume(count); }

}  // namespace volt
