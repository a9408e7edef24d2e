// SPDX-License-Identifier: MIT

#include "runtime/sched/watchdog.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "runtime/sched/clock.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/thread_state.h"

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

// A task that computes for this long may never end. Heavy tasks then wait for it no longer: spares take them, although
// they compete with it for the processors. Otherwise a few such tasks would starve all heavy work, and a class that was
// found heavy by mistake would stay so, because only its turns can show that they are short.
constexpr std::int64_t kEndlessTurnNs = 1'000'000'000;

// The longest time that a rescuer waits for the interrupted thread to flush its ring.
constexpr std::int64_t kFlushTimeoutNs = 100'000;

// After this many interrupts without effect, the watchdog searches for the reason. A few such interrupts are normal,
// because a thread that waits for a processor responds late.
constexpr std::uint32_t kInterruptsUntilDoubt = 50;

}  // namespace

void Watchdog::start() {
  if (!enabled_) return;
  observations_.resize(scheduler_.worker_slots());
  reports_.reserve(scheduler_.worker_slots());
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
  for (std::uint32_t i = 0; i != observations_.size(); ++i) {
    if (observations_[i].is_taken_over) scheduler_.worker(i).takeover().end();
  }
}

void Watchdog::watch() {
  ::pthread_setname_np(::pthread_self(), "volt-watchdog");
  set_current_scheduler(scheduler_);
  std::unique_lock lock(mutex_);
  std::int64_t active_ns = now_ns();
  std::int64_t woke_for_trim_ns = active_ns;
  frequent_samples_left_ = kFrequentSamples;
  while (!stopping_) {
    changed_.wait_for(lock, sample_interval(now_ns()));
    const std::int64_t at_ns = now_ns();
    if (sample(at_ns)) active_ns = at_ns;
    report_stalls(lock);
    if (at_ns - woke_for_trim_ns >= Worker::kTrimIntervalNs) {
      woke_for_trim_ns = at_ns;
      wake_for_trim();
    }
    if (at_ns - active_ns < kQuietNs || !scheduler_.spares().at_rest()) continue;
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
  if (frequent_samples_left_ > 0) --frequent_samples_left_;
  if (long_turns_.load(base::relaxed)) {      // relaxed: a hint
    long_turns_.store(false, base::relaxed);  // relaxed: as above
    frequent_samples_left_ = kFrequentSamplesAfterStall;
  }
  const std::uint32_t workers = scheduler_.worker_count();
  Sample found;
  for (std::uint32_t i = 0; i != workers + scheduler_.spares().count(); ++i) {
    const bool is_stuck = sample_worker(i, at_ns, found);
    const Worker& worker = scheduler_.worker(i);
    stuck_.sampled(i, is_stuck, [&worker] { return worker.blocks(worker.progress()); });
  }
  const bool stuck = found.stuck_workers + found.stuck_spares != 0;
  if (stuck) recent_stall_until_ns_ = at_ns + kRecentStallNs;
  // If the workers that are awake are stuck, only a parked one can take the tasks of the global queue.
  if (found.help_wanted || (stuck && !scheduler_.global().empty())) scheduler_.notify_one();
  const bool all_stuck = found.stuck_workers == workers;
  const bool heavy_permitted = grant_permits(all_stuck ? found.active_threads : workers, found.stuck_spares);
  const bool work_waits = found.tasks_wait || heavy_permitted || !scheduler_.global().empty();
  scheduler_.spares().sample(at_ns, all_stuck, all_stuck && work_waits);
  return found.active;
}

bool Watchdog::sample_worker(std::uint32_t index, std::int64_t at_ns, Sample& found) noexcept {
  Worker& worker = scheduler_.worker(index);
  Observation& seen = observations_[index];
  const bool is_spare = index >= scheduler_.worker_count();
  const std::uint64_t progress = worker.progress();
  const bool in_task = Worker::in_task(progress);
  const bool unchanged = progress == seen.progress;
  found.active = found.active || in_task || !unchanged;
  if (!unchanged) {
    if (seen.is_taken_over) worker.takeover().end();
    reports_.note_end(index, seen.use, seen.reports, worker.stack(seen.progress));
    seen = {.progress = progress, .since_ns = at_ns, .use = {}, .reports = {}};
    if (in_task) seen.use = TurnUse(now_ns(), processor_time_ns(worker.thread()), run_delay_ns(worker.thread()));
  }
  const bool blocks = worker.blocks(progress);
  if (!in_task || !(unchanged || blocks)) {
    if (!is_spare || in_task) ++found.active_threads;
    return false;
  }
  TurnUse use = seen.use;
  if (!blocks) {
    const pid_t thread = worker.thread();
    use.add(now_ns(), processor_time_ns(thread), [thread] { return thread_waits(thread); });
  }
  const std::optional<Worker::Turn> turn = worker.turn(progress);
  if (!turn) {  // it has ended since: nothing that was found out since is known to concern it
    ++found.active_threads;
    return false;
  }
  seen.use = use;
  seen.activity = blocks ? Activity::blocked : use.activity();
  const std::int64_t lasted_ns = at_ns - seen.since_ns;
  ++(is_spare ? found.stuck_spares : found.stuck_workers);
  if (seen.activity != Activity::blocked && lasted_ns < kEndlessTurnNs) ++found.active_threads;
  if (!seen.is_taken_over && worker.needs_takeover(seen.activity)) {
    seen.is_taken_over = true;
    worker.begin_takeover();
  }
  if (!blocks) worker.mark_stuck(progress, lasted_ns, seen.activity);  // before the search for work of others
  const bool long_turn = unchanged && seen.activity != Activity::unknown;
  if (long_turn && !seen.is_found_long && !scheduler_.clock().manual()) {
    seen.is_found_long = true;
    turn->work_class.found_long();
  }
  if (long_turn) {
    const std::int64_t used_ns = seen.use.computed_ns();
    const bool blocked = seen.activity == Activity::blocked;
    scheduler_.heavy().note_running({turn->work_class, blocked ? lasted_ns : used_ns, blocked ? 0 : used_ns});
  }
  found.tasks_wait = found.tasks_wait || worker.has_tasks_to_rescue();
  found.help_wanted = found.help_wanted || worker.needs_rescue();
  frequent_samples_left_ = std::max(
      frequent_samples_left_, lasted_ns >= kMoveAfterNs || blocks ? kFrequentSamplesAfterStall : kFrequentSamples);
  if (blocks) return true;
  if (reports_.note(index, turn->task, seen.use, seen.reports, worker.stack(progress))) worker.count_stall();
  const bool wants_stack = seen.reports.count >= 2 && !seen.is_stack_requested;
  if (wants_stack) seen.is_stack_requested = worker.request_stack(progress);
  return true;
}

// Lets spares take heavy tasks while fewer threads are active than there are workers. A thread is active while it
// computes, but not for longer than kEndlessTurnNs, and a worker that is not stuck is active: it takes heavy tasks
// itself. One spare is kept free of heavy tasks, so that light tasks run even if all others are blocked. Returns
// whether a heavy task waits for a spare.
bool Watchdog::grant_permits(std::uint32_t active, std::uint32_t stuck_spares) noexcept {
  const std::uint32_t idle = scheduler_.worker_count() - std::min(active, scheduler_.worker_count());
  const std::uint32_t permits = stuck_spares + 1 < scheduler_.spares().max() ? idle : 0;
  scheduler_.heavy().set_permits(permits);
  return permits != 0 && !scheduler_.heavy().empty();
}

void Watchdog::report_stalls(std::unique_lock<std::mutex>& lock) {
  if (reports_.empty()) return;
  lock.unlock();
  reports_.deliver();
  lock.lock();
}

void Watchdog::sleep_until_activity(std::unique_lock<std::mutex>& lock) {
  asleep_.exchange(true, base::acq_rel);  // G1
  if (scheduler_.idle().parked_count() != scheduler_.worker_count()) {
    asleep_.exchange(false, base::acq_rel);  // G1
    return;
  }
  const auto awake = [this] { return stopping_ || !asleep_.load(base::acquire); };  // G1
  while (any_frames_to_trim()) {
    if (changed_.wait_for(lock, std::chrono::nanoseconds(Worker::kTrimIntervalNs), awake)) return;
    wake_for_trim();
  }
  changed_.wait(lock, awake);
}

void Watchdog::wake_up() noexcept {
  {
    const std::scoped_lock lock(mutex_);
  }  // the watchdog is in its wait, or has not read asleep_ yet
  changed_.notify_one();
}

// ---- the workers' part ----

bool Worker::stuck() const noexcept {
  const std::uint64_t progress = turn_.progress();
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
  scheduler_.watchdog().note_blocking(index_);
  if (needs_rescue()) scheduler_.notify_one();
  return true;
}

// Changes the progress word, so that a verdict "stuck" about the old value no longer applies. The word remains odd,
// because the task continues.
void Worker::end_blocking() noexcept { turn_.renew(); }

void Worker::mark_stuck(std::uint64_t progress, std::int64_t lasted_ns, Activity activity) noexcept {
  stuck_activity_.store(activity, base::relaxed);               // relaxed: a hint
  stuck_ns_.store(lasted_ns, base::relaxed);                    // relaxed: a hint
  if (stuck_progress_.load(base::relaxed) == progress) return;  // relaxed: the watchdog is the only writer
  stuck_progress_.store(progress, base::relaxed);               // relaxed: a hint
}

bool Worker::may_interrupt() const noexcept {
  return scheduler_.rescue_signal().enabled() && !never_answers_.load(base::relaxed) &&  // relaxed: a hint
         stuck() && stuck_activity_.load(base::relaxed) == Activity::computes;           // relaxed: a hint
}

bool Worker::request_stack(std::uint64_t progress) noexcept {
  if (!may_interrupt() || sleep_probe_.sleeps()) return false;
  stack_sample_.request(progress);
  scheduler_.rescue_signal().send(thread());
  return true;
}

bool Worker::needs_takeover(Activity activity) const noexcept {
  if (!hides_events_) return false;
  return activity == Activity::blocked || !scheduler_.rescue_signal().enabled() ||
         never_answers_.load(base::relaxed);  // relaxed: a hint
}

// Returns whether a rescuer would find events (at once, after interrupting this thread, or in the takeover), or
// children on offer.
bool Worker::has_events_to_rescue() const noexcept {
  const bool reachable = !reactor_->needs_interrupt() || may_interrupt();
  return (reachable && reactor_->rescuable()) || takeover_.ready() || child_offers_.on_offer();
}

void Worker::flush_from_signal() noexcept {
  answers_.store(true, base::relaxed);  // relaxed: a hint
  reactor_->flush_from_signal();
  answers_.store(false, base::relaxed);  // relaxed: a hint
}

// Makes the victim's thread flush its ring, and waits until it has done so. The thread may have entered a system call,
// which the signal would end, since the watchdog last looked: then the next look decides.
void Worker::interrupt(Worker& victim) noexcept {
  if (victim.sleep_probe_.sleeps()) {
    victim.stuck_activity_.store(Activity::unknown, base::relaxed);  // relaxed: a hint
    return;
  }
  scheduler_.rescue_signal().send(victim.thread());
  const std::int64_t give_up_ns = now_ns() + kFlushTimeoutNs;
  while (victim.reactor_->needs_interrupt() && victim.stuck()) {
    if (now_ns() < give_up_ns) {
      base::spin_pause();
      continue;
    }
    const std::uint32_t before = victim.unanswered_interrupts_.fetch_add(1, base::relaxed);  // relaxed: a hint
    if (before + 1 == kInterruptsUntilDoubt) {
      const bool answers = victim.answers_.load(base::relaxed);  // relaxed: a hint
      victim.never_answers_.store(!answers && scheduler_.report_rescue_obstacle(victim.thread()),
                                  base::relaxed);             // relaxed: a hint
      victim.unanswered_interrupts_.store(0, base::relaxed);  // relaxed: a hint
    }
    return;
  }
  victim.unanswered_interrupts_.store(0, base::relaxed);  // relaxed: a hint
}

std::uint64_t Worker::rescue_events(Worker& victim) noexcept {
  if (victim.reactor_->needs_interrupt() && victim.may_interrupt()) interrupt(victim);
  base::Chain<io::Completion> woken;
  victim.reactor_->rescue(woken, [&victim] { return victim.stuck(); });
  victim.takeover_.collect(woken);
  victim.timers_.fire_due(clock_.now_ns(), woken);
  const std::uint64_t tasks = woken.size();
  schedule(woken);
  return tasks + rescue_children(victim);
}

}  // namespace volt::sched
