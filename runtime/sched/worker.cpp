// SPDX-License-Identifier: MIT

#include "runtime/sched/worker.h"

#include <algorithm>
#include <utility>

#include "runtime/sched/clock.h"
#include "runtime/sched/scheduler.h"

namespace volt::sched {
namespace {

// A worker whose average turn takes at least this long measures each turn. Two reads of the clock are cheap beside it.
constexpr std::int64_t kMeasureTurnsFromNs = 100'000;

// If tasks take so long on average, the worker looks at its timers after each of them, as reading the clock is cheap
// beside a task. Otherwise timers that are due would wait for the rest of TickBudget::kTimeBeforeIo, and more of them
// would fire together, of which only the first wakes a task that runs next. Still longer tasks have an I/O turn after
// each anyway.
constexpr std::int64_t kLookAtTimersFromNs = 20'000;

}  // namespace

Worker::Worker(Scheduler& scheduler, std::uint32_t index)
    : scheduler_(scheduler),
      clock_(scheduler.clock()),
      index_(index),
      is_spare_(index >= scheduler.worker_count()),
      has_thieves_(scheduler.stealing() && scheduler.worker_count() > 1 && !is_spare_),
      random_(0x9e3779b97f4a7c15 * (index + 1)),
      homed_(index),
      forks_(*this),
      child_offers_(*this, has_thieves_),
      timers_(clock_.now_ns(), clock_.manual()),
      tasks_(kTaskIdStride * (index + 2)),  // the stride before it belongs to tasks spawned outside
      counters_(scheduler.worker_slots()) {
  context_.worker = this;
  context_.scheduler = &scheduler;
  context_.frames = &frames_;
  context_.child_offers = &child_offers_;
  context_.timers = &timers_;
  context_.clock = &clock_;
  context_.worker_index = index_;
  if (has_thieves_) {
    context_.forks = &forks_;
  } else {
    limits_.exclude_thieves();
  }
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
  if (!is_spare_) sleep_probe_.open(thread());
  return {};
}

void Worker::run() noexcept {
  set_current(&context_);
  context_.idle_at_ns = clock_.now_ns();
  scheduler_.places().note(index_);
  run_until_stopped();
  frames_.flush_returns();
  set_current(nullptr);
}

// ---- events ----

void Worker::collect_events() noexcept {
  seen_round_ = clock_.round();
  context_.tick_time_ns = clock_.now_ns();
  if (slept_) context_.idle_at_ns = context_.tick_time_ns;
  base::Chain<io::Completion> woken = std::exchange(came_while_parked_, {});
  if (reactor_->pending() || clock_.manual()) poll(woken);
  counters_.timers_fired.add(timers_.fire_due(context_.tick_time_ns, woken));
  schedule(woken);
  drain_inbox();
}

// Collects events during a tick, which may be long. Each poll and each sleep resets polls_since_io_. A tick that begins
// without one does not, so short ticks add up. A worker that runs mostly stolen tasks has short ticks, but must collect
// its own events, too; with an engine that cannot report pending events (Reactor::pending), only this function does so
// while the worker is busy.
void Worker::take_io_turn() noexcept {
  urgent_due_ = true;
  const std::int64_t now_ns = clock_.now_ns();
  light_time_ns_ += now_ns - context_.tick_time_ns;
  context_.tick_time_ns = now_ns;
  base::Chain<io::Completion> woken;
  poll(woken);
  counters_.timers_fired.add(timers_.fire_due(context_.tick_time_ns, woken));
  schedule(woken);
  drain_inbox();
}

void Worker::poll(base::Chain<io::Completion>& woken) noexcept {
  polls_since_io_ = 0;
  timeline_.note(TimelineEvent::Kind::poll_begin);
  reactor_->poll(woken);
  timeline_.note(TimelineEvent::Kind::poll_end);
}

// Queues the tasks that a batch of events has woken.
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
    timeline_.woke(task);
    if (scheduler_.stays(task) && task.last_worker != index_) {  // its source has its home here, or was rescued
      scheduler_.inject(task);
    } else {
      queue_woken(task);
    }
  }
  notify_if_worth_it();
}

void Worker::deliver(io::HangupNotice& notice) noexcept {
  TaskHeader& task = *notice.task;
  cancel(task);
  task.release();
  notice.source.drop_reference();
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

std::uint32_t Worker::polls_before_io() const noexcept { return TickBudget::polls_before_io(interval_.average_task()); }

std::chrono::nanoseconds Worker::queued_work() const noexcept {
  const std::size_t share_of_global = scheduler_.global().size() / scheduler_.worker_count();
  return interval_.average_task() * static_cast<std::int64_t>(queue_.size() + share_of_global);
}

// Learns from a tick how long tasks take.
void Worker::end_tick(std::uint32_t polls, std::int64_t began_ns, bool ran_out) noexcept {
  if (ran_out) context_.idle_at_ns = context_.tick_time_ns;
  give_heavy_permit_back();
  if (polls == 0) return;
  counters_.polls.add(polls);
  const std::int64_t ended_ns = clock_.now_ns();
  interval_.record(polls, std::chrono::nanoseconds(ended_ns - began_ns));
  light_time_ns_ += ended_ns - context_.tick_time_ns;
  const std::int64_t average_ns = std::max<std::int64_t>(1, interval_.average_task().count());
  looks_at_timers_ = average_ns >= kLookAtTimersFromNs && polls_before_io() > 1;
  measures_turns_ = average_ns >= kMeasureTurnsFromNs && scheduler_.stealing() && !clock_.manual();
  polls_between_global_ = interval_.ticks();
  limits_.follow(average_ns, scheduler_.wake_cost_ns());
}

// Lists the tasks, and starts to load their frames, which other threads have written.
void Worker::adopt(std::span<TaskHeader* const> tasks) noexcept {
  tasks_.adopt(tasks);
  for (const TaskHeader* task : tasks) base::prefetch_line(task->resume_point.frame.address());
}

// is_measured() and goes_to_heavy() are here, and not with the other functions for heavy tasks, so that run() and the
// loop inline them.
bool Worker::is_measured(const TaskHeader& task) const noexcept {
  return measures_turns_ || (task.work_class.has_score() && !scheduler_.stays(task));
}
bool Worker::goes_to_heavy(const TaskHeader& task) const noexcept {
  return task.work_class.heavy() && !scheduler_.stays(task);
}

// Rare parts of run() are in functions of their own. Otherwise each turn would pay for the registers and the stack
// protector that they need.
void Worker::do_rare_duties(TaskHeader& task) noexcept {
  TaskHeader* const alone = &task;
  if (task.awaits_adoption) adopt({&alone, 1});  // it became heavy while it was being queued
  if (task.queue_delay_sampled) note_queue_delay(task);
}

void Worker::queue_offered_children() noexcept {
  base::Chain<TaskHeader> children;
  child_offers_.make_tasks(children);
  queue_children(children);
}

void Worker::begin_run(TaskHeader& task) noexcept {
  turn_.begin(task.id, task.work_class);
  context_.task = &task;
  context_.log_context = task.log_context;
  timeline_.begin_turn(task);
}

void Worker::end_run() noexcept {
  timeline_.end_turn(turn_);
  context_.task = nullptr;
  context_.log_context = nullptr;
  turn_.end();
  if (looks_at_timers_) look_at_timers();
}

// Makes an I/O turn follow if timers are due.
void Worker::look_at_timers() noexcept {
  if (has_due_timers()) polls_since_io_ = TickBudget::kPollsBeforeIo;
}

void Worker::run(TaskHeader& task) noexcept {
  const bool has_rare_duties = task.awaits_adoption || task.queue_delay_sampled;
  if (has_rare_duties) [[unlikely]] {
    do_rare_duties(task);
  }
  begin_run(task);
  ++context_.turn;
  context_.budget.reset();
  task.last_worker = static_cast<std::uint16_t>(index_);
  const std::int64_t queued_at_ns = task.turn_at_ns.load(base::relaxed);  // relaxed: it came through a queue
  context_.queued_for_ns =
      std::max<std::int64_t>(0, context_.tick_time_ns - queued_at_ns);  // it may be later than the tick
  task.turn_at_ns.store(context_.tick_time_ns, base::relaxed);          // relaxed: a report
  turn_began_ns_ = 0;
  if (is_measured(task)) measure_turn();
  task.take_turn();
  if (turn_began_ns_ != 0) judge_turn();
  const bool done = !task.yielded && task.root.done();
  if (done) task.collect();  // in the turn, because it runs destructors of the program
  end_run();
  if (child_offers_.any()) queue_offered_children();  // before the task can run elsewhere

  if (task.yielded) {
    task.yielded = false;
    push_back(task);
    return;
  }
  if (done) {
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

void Worker::prepare_child(TaskHeader& task) noexcept {
  task.last_worker = static_cast<std::uint16_t>(index_);
  counters_.tasks_spawned.add();
  task.turn_at_ns.store(queued_at_ns(task), base::relaxed);  // relaxed: this worker owns it until it is in a queue
  timeline_.woke(task);
}

void Worker::queue_children(base::Chain<TaskHeader>& tasks) noexcept {
  while (TaskHeader* task = tasks.pop_front()) {
    prepare_child(*task);
    tasks.empty() ? push_next(*task) : push_back(*task);
  }
}

void Worker::complete(TaskHeader& task) noexcept {
  counters_.tasks_finished.add();
  TaskList::remove(task);
  if (task.state.complete()) task.on_done->task_done(task);
  task.release();
}

// Runs in a signal handler on this thread.
void Worker::sample_for_profile(const void* signal_context) noexcept {
  const TaskHeader* const task = context_.task;
  ProfileTask about{.in_task = task != nullptr};
  if (about.in_task) about.work_class = turn_.last_class().index();
  if (about.in_task && !runs_stolen_part_) about.task_code = task->code;
  profile_.take(stack_sample_, signal_context, about);
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
  if (is_spare_ || scheduler_.idle().claim(index_)) scheduler_.wake(*this);
}

// The loop, and with it all of its hooks, is compiled here.
template class WorkerLoop<Worker, TaskHeader>;
template class SpareLoop<Worker, TaskHeader>;

}  // namespace volt::sched
