// SPDX-License-Identifier: MIT

// The part of a worker that concerns heavy tasks.
#include "runtime/sched/heavy_queue.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "runtime/sched/clock.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/worker.h"

namespace volt::sched {
namespace {

// While light and heavy tasks wait, a worker runs light ones for at most this many times the duration of the last heavy
// turn. So heavy tasks get at least a fifth of its time. The duration may include a pause of the whole process, which
// must not delay heavy tasks for minutes: hence the maximum.
constexpr std::int64_t kLightTimePerHeavyTime = 4;
constexpr std::int64_t kLightTimeMaxNs = 1'000'000'000;

}  // namespace

bool Worker::may_take_heavy() noexcept {
  if (!is_spare_) return true;
  give_heavy_permit_back();
  has_heavy_permit_ = scheduler_.heavy().take_permit(scheduler_.spares().max());
  return has_heavy_permit_;
}

void Worker::give_heavy_permit_back() noexcept {
  if (std::exchange(has_heavy_permit_, false)) scheduler_.heavy().give_permit_back();
}

// Returns whether light tasks have had their share of this worker's time since the last heavy turn.
bool Worker::heavy_is_due() const noexcept {
  const std::int64_t light_time_max_ns = std::min(kLightTimePerHeavyTime * heavy_turn_ns_, kLightTimeMaxNs);
  return !is_spare_ && !scheduler_.heavy().empty() && light_time_ns_ >= light_time_max_ns;
}

// Records the turn of a heavy task that was due, and has just ended, unless judge_turn() has found it long and recorded
// it. Otherwise a heavy task would still be due, and no light one would run.
void Worker::note_due_turn() noexcept {
  if (light_time_ns_ < 0) return;
  heavy_turn_ns_ = clock_.now_ns() - context_.tick_time_ns;
  light_time_ns_ = -heavy_turn_ns_;
}

void Worker::measure_turn() noexcept {
  turn_began_ns_ = clock_.now_ns();
  use_before_turn_ = thread_use();
}

// Learns from the measured turn that has just ended. The class is the one that the turn had last, because a request's
// route is found in the turn that runs its handler. A turn counts as long if it has used the processor for long, or if
// it lasted long, slept, and was not preempted. So a turn does not count as long only because the kernel gave its
// processor to another thread.
void Worker::judge_turn() noexcept {
  const WorkClass ran = turn_.last_class();
  const std::int64_t took_ns = clock_.now_ns() - turn_began_ns_;
  constexpr std::int64_t kLongNs = WorkClass::kLongTurn.count();
  const ThreadUse use = took_ns >= kLongNs ? thread_use() : use_before_turn_;
  const std::int64_t used_ns = use.processor_time_ns - use_before_turn_.processor_time_ns;
  const bool computed = used_ns >= kLongNs;
  const bool preempted = use.preemptions != use_before_turn_.preemptions;
  const bool slept = use.sleeps != use_before_turn_.sleeps;  // else the time went to interrupts, or to a hypervisor
  const bool blocked = took_ns >= kLongNs && slept && !preempted;
  if (!computed && !blocked) return ran.found_short();
  ran.found_long();
  scheduler_.watchdog().note_long_turn();
  // A preemption ends when the kernel likes: its duration says nothing about the work.
  scheduler_.heavy().note({ran, preempted ? used_ns : took_ns, computed ? used_ns : 0});
  heavy_turn_ns_ = took_ns;
  light_time_ns_ = -took_ns;  // the time of this turn will be added with that of the tick
}

bool Worker::begin_work(WorkClass work_class) noexcept {
  context_.task->work_class.make_function_light();
  context_.task->work_class = work_class;
  turn_.set_class(work_class);
  timeline_.note(TimelineEvent::Kind::work, work_class.index());
  if (turn_began_ns_ == 0 && is_measured(*context_.task)) measure_turn();
  if (!goes_to_heavy(*context_.task)) return false;
  return is_spare_ || reactor_->pending() || !scheduler_.heavy().empty() || !scheduler_.global().empty() ||
         !queue_.empty() || !pinned_.empty() || !urgent_.empty() || !lifo_.empty();
}

}  // namespace volt::sched
