// SPDX-License-Identifier: MIT

#include "runtime/sched/worker.h"

#include <algorithm>
#include <array>
#include <utility>

#include "runtime/base/uninitialized.h"
#include "runtime/sched/clock.h"
#include "runtime/sched/scheduler.h"

namespace volt::sched {
namespace {

// The maximum number of consecutive polls from the LIFO slot. After that, the task in the slot moves to the end of the
// queue. Otherwise two tasks that always wake each other would starve the rest.
constexpr std::uint32_t kLifoPollsMax = 3;

// A worker whose average turn takes at least this long measures each turn. Two reads of the clock are cheap beside it.
constexpr std::int64_t kMeasureTurnsFromNs = 100'000;

constexpr std::uint32_t kGlobalBatchMin = 4;
constexpr std::uint32_t kGlobalBatchMax = 64;

// A backlog is worth a wake-up if its tasks take at least as long as this many wake-ups. The value is greater than one,
// because the backlog shrinks until the woken worker arrives: with a value of one, most workers that were woken under
// load found no work left.
constexpr std::int64_t kWakesWorth = 4;

}  // namespace

Worker::Worker(Scheduler& scheduler, std::uint32_t index)
    : scheduler_(scheduler),
      clock_(scheduler.clock()),
      index_(index),
      is_spare_(index >= scheduler.worker_count()),
      random_(0x9e3779b97f4a7c15 * (index + 1)),
      homed_(index),
      forks_(*this),
      timers_(clock_.now_ns()),
      tasks_(kTaskIdStride * (index + 2)),  // the first strides belong to tasks spawned outside
      counters_(scheduler.worker_slots()) {
  context_.worker = this;
  context_.scheduler = &scheduler;
  context_.frames = &frames_;
  context_.timers = &timers_;
  context_.clock = &clock_;
  context_.worker_index = index_;
  if (scheduler.stealing() && scheduler.worker_count() > 1 && !is_spare_) context_.forks = &forks_;
}

Worker::~Worker() {
  VOLT_REQUIRE(frames_.outstanding() == 0,
               "a Runtime was destroyed while a JoinHandle or a Task of it exists: destroy those first, for example by "
               "declaring them after the Runtime");
}

Result<void> Worker::open_reactor(io::Engine engine) {
  auto reactor = io::Reactor::create(engine);
  if (!reactor) return std::unexpected(reactor.error());
  reactor_ = std::move(*reactor);
  hides_events_ = engine == io::Engine::uring;
  return {};
}

void Worker::run() noexcept {
  set_current(&context_);
  for (;;) {
    seen_round_ = clock_.round();
    context_.tick_time_ns = clock_.now_ns();
    if (slept_) context_.idle_at_ns = context_.tick_time_ns;
    collect_events();
    if (run_tick() != 0) continue;
    if (find_elsewhere()) continue;
    if (scheduler_.stopping() && drained()) break;
    park();
  }
  frames_.flush_returns();
  set_current(nullptr);
}

// ---- events ----

void Worker::collect_events() noexcept {
  urgent_due_ = true;
  base::Chain<io::Completion> woken = std::exchange(came_while_parked_, {});
  if (reactor_->pending() || clock_.manual()) reactor_->poll(woken);
  counters_.timers_fired.add(timers_.fire_due(context_.tick_time_ns, woken));
  schedule(woken);
  drain_inbox();
}

// Collects events during a tick, which may be long. polls_since_io_ is not reset at the start of a tick, so short ticks
// add up. A worker that runs mostly stolen tasks has short ticks, but must collect its own events, too; with an engine
// that cannot report pending events (Reactor::pending), only this function does so while the worker is busy.
void Worker::take_io_turn() noexcept {
  polls_since_io_ = 0;
  urgent_due_ = true;
  const std::int64_t now_ns = clock_.now_ns();
  light_time_ns_ += now_ns - context_.tick_time_ns;
  context_.tick_time_ns = now_ns;
  base::Chain<io::Completion> woken;
  reactor_->poll(woken);
  counters_.timers_fired.add(timers_.fire_due(context_.tick_time_ns, woken));
  schedule(woken);
  drain_inbox();
}

// Queues the tasks that a batch of events has woken. The first one goes into the LIFO slot if it is free, and so runs
// next; the others keep their order of arrival.
void Worker::schedule(base::Chain<io::Completion>& woken) noexcept {
  if (woken.empty()) return;
  while (io::Completion* completion = woken.pop_front()) {
    if (completion->is_hangup) {
      deliver(static_cast<io::HangupNotice&>(*completion));
      continue;
    }
    TaskHeader& task = *completion->task;
    if (task.state.wake() != TaskState::Wake::enqueue) continue;
    task.turn_at_ns.store(queued_at_ns(task), base::relaxed);  // relaxed: this worker owns it until it is in a queue
    if (scheduler_.stays(task)) {
      if (task.last_worker != index_) {  // its source has its home here, or was rescued
        scheduler_.inject(task);
        continue;
      }
      if (task.pinned) {
        pinned_.push_back(&task);
        continue;
      }
    }
    if (task.work_class.is_urgent()) {
      urgent_.push(&task);
      continue;
    }
    if (goes_to_heavy(task)) {
      scheduler_.queue_heavy(task);
      continue;
    }
    if (lifo_.try_put(task)) continue;
    queue_.push(&task, [this](base::Chain<TaskHeader>&& evicted) {
      counters_.queue_overflows.add();
      scheduler_.global().push(std::move(evicted));
    });
  }
  notify_if_worth_it();
}

void Worker::deliver(io::HangupNotice& notice) noexcept {
  TaskHeader& task = *notice.task;
  cancel(task);
  task.release();
  notice.source.drop_reference();
}

void Worker::drain_inbox() noexcept {
  if (inbox_.empty()) return;
  Inbox::Content content = inbox_.drain();
  while (TaskHeader* task = content.tasks.pop_front()) push_back(*task);
  pinned_.append(content.pinned);
  while (io::UnwatchRequest* request = content.unwatch.pop_front()) unwatch(request->source);
}

void Worker::watch(io::Source& source) noexcept {
  source.home_worker = static_cast<std::uint16_t>(index_);
  reactor_->watch(source);
  homed_.add(source);
}

void Worker::unwatch(io::Source& source) noexcept {
  reactor_->unwatch(source);
  homed_.remove(source);
  source.set_leaving(false);
  source.drop_reference();
}

// ---- running ----

std::uint32_t Worker::run_tick() noexcept {
  const std::uint32_t io_turn = TickBudget::polls_before_io(interval_.average_task());
  const std::int64_t began_ns = context_.tick_time_ns;
  std::uint32_t polls = 0;
  bool ran_out = false;
  lifo_polls_ = 0;
  TaskHeader* due = heavy_is_due() ? pop_heavy() : nullptr;
  while (polls != TickBudget::kPolls) {
    const bool is_due = due != nullptr;
    TaskHeader* task = is_due ? std::exchange(due, nullptr) : next_task();
    ran_out = task == nullptr;
    if (ran_out) break;
    note_work();
    run(*task);
    ++polls;
    if (is_due) note_due_turn();
    if (++polls_since_io_ < io_turn) continue;
    take_io_turn();
    if (heavy_is_due()) break;  // the next tick begins with it
  }
  if (ran_out) context_.idle_at_ns = context_.tick_time_ns;
  if (polls == 0) return 0;
  counters_.polls.add(polls);
  const std::int64_t ended_ns = clock_.now_ns();
  interval_.record(polls, std::chrono::nanoseconds(ended_ns - began_ns));
  light_time_ns_ += ended_ns - context_.tick_time_ns;
  const std::int64_t average_ns = std::max<std::int64_t>(1, interval_.average_task().count());
  measures_turns_ = average_ns >= kMeasureTurnsFromNs && scheduler_.stealing() && !clock_.manual();
  average_task_ns_.store(average_ns, base::relaxed);  // relaxed: a hint to thieves
  polls_between_global_ = interval_.ticks();
  backlog_worth_a_wake_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
      kWakesWorth * scheduler_.wake_cost_ns() / average_ns, 1, std::numeric_limits<std::uint32_t>::max()));
  if (scheduler_.watchdog().any_stuck()) help_stuck_workers();
  return polls;
}

// Called when this worker has found work. Ends its search. After a sleep, also reports to the watchdog that the worker
// is active again.
void Worker::note_work() noexcept {
  if (searching_) end_search_with_work();
  if (slept_) scheduler_.watchdog().activity();
  slept_ = false;
}

void Worker::begin_run(TaskHeader& task) noexcept {
  turn_.begin(task.id, task.work_class);
  context_.task = &task;
  context_.log_context = task.log_context;
}

void Worker::end_run() noexcept {
  context_.task = nullptr;
  context_.log_context = nullptr;
  turn_.end();
}

void Worker::run(TaskHeader& task) noexcept {
  begin_run(task);
  context_.budget.reset();
  task.last_worker = static_cast<std::uint16_t>(index_);
  context_.queued_for_ns =
      context_.tick_time_ns - task.turn_at_ns.load(base::relaxed);  // relaxed: it came through a queue
  if (task.queue_delay_sampled) [[unlikely]] {
    note_queue_delay(task);
  }
  task.turn_at_ns.store(context_.tick_time_ns, base::relaxed);  // relaxed: a report
  turn_began_ns_ = 0;
  if (is_measured(task)) measure_turn();
  task.take_turn();
  if (turn_began_ns_ != 0) judge_turn();
  end_run();

  if (task.yielded) {
    task.yielded = false;
    push_back(task);
    return;
  }
  if (task.root.done()) {
    complete(task);
    return;
  }
  switch (task.state.end_run()) {
    case TaskState::RunEnd::suspended:
      return;  // the task may already run elsewhere, or be destroyed
    case TaskState::RunEnd::run_again:
      push_back(task);
      return;
    case TaskState::RunEnd::cancelled:
      deliver_cancel(task);
      return;
  }
}

void Worker::complete(TaskHeader& task) noexcept {
  counters_.tasks_finished.add();
  task.collect();
  TaskList::remove(task);
  if (task.state.complete()) task.on_done->task_done(task);
  task.release();
}

TaskHeader* Worker::next_task() noexcept {
  TaskHeader* task = next_light_task();
  return task != nullptr || scheduler_.heavy().empty() ? task : take_heavy();
}

TaskHeader* Worker::next_light_task() noexcept {
  if (urgent_due_) {
    urgent_due_ = false;
    if (TaskHeader* task = take_urgent()) return task;
  }
  if (++polls_since_global_ >= polls_between_global_) {
    polls_since_global_ = 0;
    if (TaskHeader* task = take_from_global()) return task;
  }
  if (lifo_polls_ < kLifoPollsMax) {
    if (TaskHeader* task = take_lifo()) {
      ++lifo_polls_;
      counters_.from_lifo.add();
      return task;
    }
  } else if (TaskHeader* task = take_lifo()) {
    push_back(*task);
  }
  lifo_polls_ = 0;
  if (TaskHeader* task = take_queued()) return task;
  if (TaskHeader* task = take_from_global()) return task;
  return take_urgent();
}

TaskHeader* Worker::take_urgent() noexcept {
  TaskHeader* task = urgent_.pop();
  if (task != nullptr) counters_.from_local.add();
  return task;
}

// Takes tasks from the two queues in turn, so that neither starves the other.
TaskHeader* Worker::take_queued() noexcept {
  took_pinned_ = !took_pinned_ && !pinned_.empty();
  if (!took_pinned_) {
    if (TaskHeader* task = queue_.pop()) {
      counters_.from_local.add();
      return task;
    }
  }
  TaskHeader* task = pinned_.pop_front();
  if (task != nullptr) counters_.from_pinned.add();
  return task;
}

TaskHeader* Worker::take_lifo() noexcept { return lifo_.empty() ? nullptr : lifo_.take(); }

TaskHeader* Worker::take_from_global() noexcept {
  auto& global = scheduler_.global();
  const std::size_t waiting = global.size();
  if (waiting == 0) return nullptr;
  const auto share = static_cast<std::uint32_t>(waiting / scheduler_.worker_count() + 1);
  const std::uint32_t wanted = std::min(std::clamp(share, kGlobalBatchMin, kGlobalBatchMax), queue_.room() + 1);
  VOLT_UNINITIALIZED std::array<TaskHeader*, kGlobalBatchMax> batch;
  const std::uint32_t count = global.pop_batch(batch.data(), wanted);
  if (count == 0) return nullptr;
  counters_.from_global.add(count);
  for (std::uint32_t i = 1; i != count; ++i) VOLT_CHECK(queue_.try_push(batch[i]));
  return batch[0];
}

void Worker::push_next(TaskHeader& task) noexcept {
  if (task.pinned) return pinned_.push_back(&task);
  if (task.work_class.is_urgent()) return urgent_.push(&task);
  if (goes_to_heavy(task)) return scheduler_.queue_heavy(task);
  if (TaskHeader* previous = lifo_.put(task)) push_back(*previous);
}

void Worker::push_back(TaskHeader& task) noexcept {
  if (task.pinned) return pinned_.push_back(&task);
  if (task.work_class.is_urgent()) return urgent_.push(&task);
  if (goes_to_heavy(task)) return scheduler_.queue_heavy(task);
  queue_.push(&task, [this](base::Chain<TaskHeader>&& evicted) {
    counters_.queue_overflows.add();
    scheduler_.global().push(std::move(evicted));
  });
  notify_if_worth_it();
}

// ---- searching ----

// Ends the search of this worker, which has found work. If it was the last searcher and there is more work, wakes
// another worker to search.
void Worker::end_search_with_work() noexcept {
  searching_ = false;
  const bool was_last = scheduler_.idle().stop_search(index_);
  const bool shared_work = !scheduler_.global().empty() || !scheduler_.heavy().empty();
  if (was_last && (shared_work || queue_.size() >= backlog_worth_a_wake_)) notify_one();
}

// Wakes a worker if this worker's backlog is worth it. A wake-up costs as much as several requests, so no worker is
// woken for tasks that this worker will soon run itself.
void Worker::notify_if_worth_it() noexcept {
  if (queue_.size() >= backlog_worth_a_wake_ && scheduler_.stealing()) notify_one();
}

void Worker::notify_one() noexcept {
  if (scheduler_.idle().parked_count() == 0) return;  // no fence needed: this worker is awake and will get to the work
  if (scheduler_.notify_one()) counters_.wakes_sent.add();
}

// ---- any thread ----

void Worker::post(TaskHeader& task) noexcept {
  inbox_.post(task);
  look_again();
}

void Worker::post(io::UnwatchRequest& request) noexcept {
  inbox_.post(request);
  look_again();
}

void Worker::look_again() noexcept {
  if (is_spare_ || scheduler_.idle().claim(index_)) wake();
}

}  // namespace volt::sched
