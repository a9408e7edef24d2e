// SPDX-License-Identifier: MIT

#include "runtime/sched/watchdog.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "runtime/sched/clock.h"
#include "runtime/sched/current.h"
#include "runtime/sched/scheduler.h"

namespace volt::sched {
namespace {

// Sampling is expensive in a virtual machine, so the watchdog samples often only while stalls are likely. A worker that
// is found stuck once may only have lost its processor for a moment, so frequent samples follow only for a few
// milliseconds. A worker that is stuck for longer probably runs a handler that computes. Such a handler is likely to be
// called again soon, so the frequent samples continue for longer.
constexpr auto kSampleIntervalStalled = std::chrono::milliseconds(1);
constexpr auto kSampleIntervalRecent = std::chrono::milliseconds(4);
constexpr auto kSampleIntervalIdle = std::chrono::milliseconds(10);
constexpr std::int64_t kRecentStallNs = 10'000'000'000;
constexpr int kFrequentSamples = 8;
constexpr int kFrequentSamplesAfterStall = 100;

// The watchdog sleeps after this time without progress: long enough that a steady trickle of requests does not wake it
// each time, short enough that an idle server does not pay for it.
constexpr std::int64_t kQuietNs = 20'000'000;

// When a worker has been stuck for this long, its descriptors move to other workers. The limit is longer than the time
// slice that the kernel gives to another thread on a crowded processor, so a preempted worker keeps its descriptors.
constexpr std::int64_t kMoveAfterNs = 5'000'000;

// A stall is reported when it is found, and once more when it has lasted this long, which users may notice.
constexpr std::int64_t kReportAgainAfterNs = 50'000'000;

// The longest time that a rescuer waits for the interrupted thread to flush its ring.
constexpr std::int64_t kFlushTimeoutNs = 100'000;

// SIGURG is ignored by default, so a signal that arrives late does no harm. Go interrupts its threads with SIGURG, too.
constexpr int kInterruptSignal = SIGURG;

void on_interrupt(int) noexcept {
  const Context* context = current();
  if (context != nullptr) context->worker->flush_from_signal();
}

void install_interrupt_handler() noexcept {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART | SA_ONSTACK;  // the system calls of a handler are restarted
  ::sigemptyset(&action.sa_mask);
  ::sigaction(kInterruptSignal, &action, nullptr);
}

}  // namespace

void interrupt(pid_t worker_thread) noexcept { ::tgkill(::getpid(), worker_thread, kInterruptSignal); }

void Watchdog::start() {
  if (!enabled_) return;
  install_interrupt_handler();
  observations_.resize(scheduler_.worker_slots());
  thread_ = std::thread([this] { watch(); });
}

void Watchdog::stop() noexcept {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchdog::watch() {
  ::pthread_setname_np(::pthread_self(), "volt-watchdog");
  std::unique_lock lock(mutex_);
  std::int64_t active_ns = now_ns();
  frequent_samples_left_ = kFrequentSamples;
  while (!stopping_) {
    changed_.wait_for(lock, sample_interval(now_ns()));
    const std::int64_t at_ns = now_ns();
    if (sample(at_ns)) active_ns = at_ns;
    if (at_ns - active_ns < kQuietNs || scheduler_.spares().serving()) continue;
    sleep_until_activity(lock);
    active_ns = now_ns();
    frequent_samples_left_ = kFrequentSamples;
  }
}

std::chrono::milliseconds Watchdog::sample_interval(std::int64_t at_ns) const noexcept {
  if (frequent_samples_left_ > 0) return kSampleIntervalStalled;
  return at_ns < recent_stall_until_ns_ ? kSampleIntervalRecent : kSampleIntervalIdle;
}

// Returns whether any worker runs a task, or has run one since the last sample.
bool Watchdog::sample(std::int64_t at_ns) noexcept {
  bool active = false;
  bool stuck = false;
  bool help_wanted = false;
  std::uint32_t stuck_workers = 0;  // without spares
  if (frequent_samples_left_ > 0) --frequent_samples_left_;
  for (std::uint32_t i = 0; i != scheduler_.worker_count() + scheduler_.spares().count(); ++i) {
    Worker& worker = scheduler_.worker(i);
    Observation& seen = observations_[i];
    const std::uint64_t progress = worker.progress();
    const bool in_task = Worker::in_task(progress);
    const bool unchanged = progress == seen.progress;
    active = active || in_task || !unchanged;
    if (!unchanged) seen = {.progress = progress, .since_ns = at_ns};
    const bool blocks = worker.blocks(progress);
    if (!in_task || !(unchanged || blocks)) continue;
    stuck = true;
    if (i < scheduler_.worker_count()) ++stuck_workers;
    help_wanted = help_wanted || worker.needs_rescue();
    const std::int64_t lasted_ns = at_ns - seen.since_ns;
    frequent_samples_left_ = std::max(
        frequent_samples_left_, lasted_ns >= kMoveAfterNs || blocks ? kFrequentSamplesAfterStall : kFrequentSamples);
    if (blocks) continue;
    worker.mark_stuck(progress, lasted_ns);
    report(i, lasted_ns);
  }
  if (stuck) recent_stall_until_ns_ = at_ns + kRecentStallNs;
  any_stuck_.store(stuck, base::relaxed);  // relaxed: a hint
  if (help_wanted) scheduler_.notify_one();
  const bool all_stuck = stuck_workers == scheduler_.worker_count();
  scheduler_.spares().sample(at_ns, all_stuck, all_stuck && (help_wanted || !scheduler_.global().empty()));
  return active;
}

void Watchdog::report(std::uint32_t worker, std::int64_t lasted_ns) {
  int& reports = observations_[worker].reports;
  if (!on_stall_ || reports == 2 || (reports == 1 && lasted_ns < kReportAgainAfterNs)) return;
  ++reports;
  const auto lasted = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(lasted_ns));
  on_stall_({.worker = worker, .task = scheduler_.worker(worker).task_id(), .lasted = lasted});
}

void Watchdog::on_stall(std::function<void(const Stall&)> observer) {
  const std::scoped_lock lock(mutex_);
  on_stall_ = std::move(observer);
}

void Watchdog::sleep_until_activity(std::unique_lock<std::mutex>& lock) {
  asleep_.exchange(true, base::acq_rel);  // G1
  if (scheduler_.idle().parked_count() != scheduler_.worker_count()) {
    asleep_.exchange(false, base::acq_rel);  // G1
    return;
  }
  changed_.wait(lock, [this] { return stopping_ || !asleep_.load(base::acquire); });  // G1
}

void Watchdog::wake_up() noexcept {
  {
    const std::scoped_lock lock(mutex_);
  }  // the watchdog is in its wait, or has not read asleep_ yet
  changed_.notify_one();
}

// ---- the workers' part ----

bool Worker::stuck() const noexcept {
  const std::uint64_t progress = progress_.load(base::relaxed);           // relaxed: a hint
  const bool found_so = stuck_progress_.load(base::relaxed) == progress;  // relaxed: a hint
  return in_task(progress) && (found_so || blocks(progress));
}

bool Worker::stuck_for_long() const noexcept {
  if (!stuck()) return false;
  return stuck_ns_.load(base::relaxed) >= kMoveAfterNs || blocks(progress());  // relaxed: a hint
}

// First submits all staged entries of the ring, because no other thread can submit them while this one blocks.
bool Worker::begin_blocking() noexcept {
  if (!scheduler_.watchdog().enabled() || blocks(progress())) return false;
  take_io_turn();
  blocking_progress_.store(progress(), base::relaxed);  // relaxed: a hint
  scheduler_.watchdog().note_blocking();
  if (needs_rescue()) scheduler_.notify_one();
  return true;
}

// Changes the progress word, so that a verdict "stuck" about the old value no longer applies. The word remains odd,
// because the task continues.
void Worker::end_blocking() noexcept { progress_.store(progress() + 2, base::relaxed); }  // relaxed: a hint

void Worker::mark_stuck(std::uint64_t progress, std::int64_t lasted_ns) noexcept {
  stuck_ns_.store(lasted_ns, base::relaxed);                    // relaxed: a hint
  if (stuck_progress_.load(base::relaxed) == progress) return;  // relaxed: the watchdog is the only writer
  stuck_progress_.store(progress, base::relaxed);               // relaxed: a hint
  stalls_.add();
}

bool Worker::needs_rescue() const noexcept {
  return reactor_->rescuable() || !queue_.empty() || lifo_.load(base::relaxed) != nullptr ||  // relaxed: a hint
         inbox_.has_movable() || forks_.on_offer() || timers_.next_wake_ns() <= clock_.now_ns();
}

bool Worker::help_stuck_workers() noexcept {
  bool helped = false;
  const auto help = [&](std::uint32_t i) {
    Worker& victim = scheduler_.worker(i);
    if (i != index_ && victim.stuck() && rescue(victim)) helped = true;
    return false;
  };
  scheduler_.victims().visit_all(random_, help);
  for (std::uint32_t i = 0; i != scheduler_.spares().count(); ++i) help(scheduler_.worker_count() + i);
  return helped;
}

bool Worker::rescue(Worker& victim) noexcept {
  if (!victim.needs_rescue()) return false;
  if (victim.reactor_->needs_interrupt()) {
    interrupt(victim.thread_);
    const std::int64_t give_up_ns = now_ns() + kFlushTimeoutNs;
    while (victim.reactor_->needs_interrupt() && victim.stuck() && now_ns() < give_up_ns) base::spin_pause();
  }
  base::Chain<io::Completion> woken;
  victim.reactor_->rescue(woken, [&victim] { return victim.stuck(); });
  victim.timers_.fire_due(clock_.now_ns(), woken);
  std::uint64_t tasks = woken.size();
  schedule(woken);

  if (TaskHeader* task = victim.lifo_.exchange(nullptr, base::acq_rel)) {  // W1
    push_back(*task);
    ++tasks;
  }
  base::Chain<TaskHeader> posted = victim.inbox_.take_tasks();
  tasks += posted.size();
  while (TaskHeader* task = posted.pop_front()) push_back(*task);
  const std::uint32_t stolen = victim.queue_.steal_half_into(queue_);
  counters_.stolen.add(stolen);
  counters_.stolen_from[victim.index_].add(stolen);
  tasks += stolen;

  if (tasks == 0) return false;
  counters_.rescues.add();
  counters_.rescued_tasks.add(tasks);
  return true;
}

}  // namespace volt::sched
