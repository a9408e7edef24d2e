#include "runtime/sched/rescue.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "runtime/sched/clock.h"
#include "runtime/sched/current.h"
#include "runtime/sched/scheduler.h"

namespace volt::sched {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(1);
// Looks without progress before the watchman sleeps: long enough that a steady trickle of requests does not wake it
// each time, short enough that it costs an idle server nothing worth measuring.
constexpr int kQuietLooks = 20;

// Looks of the watchman, a millisecond apart, after which a stuck worker's descriptors move away: more than the slice
// that the kernel gives to another thread on a crowded processor.
constexpr std::uint32_t kLooksToMove = 5;

// A stall is reported at the first look, and when it is one that people would notice.
constexpr std::uint32_t kLooksToTellAgain = 50;

// How long a rescuer waits for the interrupted thread to flush its ring.
constexpr std::int64_t kFlushPatienceNs = 100'000;

// Ignored by default, so one that arrives late harms nobody; Go interrupts its threads with the same one.
constexpr int kInterruptSignal = SIGURG;

void on_interrupt(int) noexcept {
  const Context* context = current();
  if (context != nullptr) context->worker->flush_from_signal();
}

void install_interrupt_handler() noexcept {
  struct sigaction action{};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART | SA_ONSTACK;  // a handler's own system calls go on
  ::sigemptyset(&action.sa_mask);
  ::sigaction(kInterruptSignal, &action, nullptr);
}

}  // namespace

void interrupt(pid_t worker_thread) noexcept { ::tgkill(::getpid(), worker_thread, kInterruptSignal); }

void Watchman::start() {
  if (!enabled_) return;
  install_interrupt_handler();
  last_progress_.resize(scheduler_.worker_count());
  thread_ = std::thread([this] { watch(); });
}

void Watchman::stop() noexcept {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Watchman::watch() {
  ::pthread_setname_np(::pthread_self(), "volt-watchman");
  std::unique_lock lock(mutex_);
  int quiet_looks = 0;
  while (!stopping_) {
    changed_.wait_for(lock, kBetweenLooks);
    quiet_looks = look() ? 0 : quiet_looks + 1;
    if (quiet_looks < kQuietLooks) continue;
    sleep_until_activity(lock);
    quiet_looks = 0;
  }
}

// Whether any worker runs or has run something since the last look.
bool Watchman::look() noexcept {
  bool active = false;
  bool stuck = false;
  bool help_wanted = false;
  for (std::uint32_t i = 0; i != scheduler_.worker_count(); ++i) {
    Worker& worker = scheduler_.worker(i);
    const std::uint64_t progress = worker.progress();
    const bool in_task = Worker::in_task(progress);
    active = active || in_task || progress != last_progress_[i];
    const bool blocks = worker.blocks(progress);
    if (in_task && (blocks || progress == last_progress_[i])) {
      if (!blocks) report(i, worker.mark_stuck(progress));
      stuck = true;
      help_wanted = help_wanted || worker.needs_rescue();
    }
    last_progress_[i] = progress;
  }
  any_stuck_.store(stuck, base::relaxed);  // relaxed: a hint
  if (help_wanted) scheduler_.notify_one();
  return active;
}

void Watchman::report(std::uint32_t worker, std::uint32_t looks) const {
  if (!on_stall_ || (looks != 1 && looks != kLooksToTellAgain)) return;
  on_stall_({.worker = worker, .task = scheduler_.worker(worker).task_id(), .lasted = looks * kBetweenLooks});
}

void Watchman::on_stall(std::function<void(const Stall&)> observer) {
  const std::scoped_lock lock(mutex_);
  on_stall_ = std::move(observer);
}

void Watchman::sleep_until_activity(std::unique_lock<std::mutex>& lock) {
  asleep_.exchange(true, base::acq_rel);  // G1
  if (scheduler_.idle().parked_count() != scheduler_.worker_count()) {
    asleep_.exchange(false, base::acq_rel);  // G1
    return;
  }
  changed_.wait(lock, [this] { return stopping_ || !asleep_.load(base::acquire); });  // G1
}

void Watchman::rouse() noexcept {
  {
    const std::scoped_lock lock(mutex_);
  }  // it is in its wait, or has not looked at asleep_ yet
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
  return stuck_looks_.load(base::relaxed) >= kLooksToMove || blocks(progress());  // relaxed: a hint
}

// What is staged must be submitted now: no other thread can.
bool Worker::begin_blocking() noexcept {
  if (!scheduler_.watchman().enabled() || blocks(progress())) return false;
  take_io_turn();
  blocking_progress_.store(progress(), base::relaxed);  // relaxed: a hint
  scheduler_.watchman().note_blocking();
  if (needs_rescue()) scheduler_.notify_one();
  return true;
}

// The verdict is void, and so is one that the watchman may have come to meanwhile.
void Worker::end_blocking() noexcept { progress_.store(progress() + 2, base::relaxed); }  // relaxed: a hint

std::uint32_t Worker::mark_stuck(std::uint64_t progress) noexcept {
  if (stuck_progress_.load(base::relaxed) == progress) {  // relaxed: the watchman is the only writer
    return stuck_looks_.fetch_add(1, base::relaxed) + 1;  // relaxed: a hint
  }
  stuck_looks_.store(1, base::relaxed);            // relaxed: a hint
  stuck_progress_.store(progress, base::relaxed);  // relaxed: a hint
  stalls_.add();
  return 1;
}

bool Worker::needs_rescue() const noexcept {
  return reactor_->rescuable() || !queue_.empty() || lifo_.load(base::relaxed) != nullptr ||  // relaxed: a hint
         inbox_.has_movable() || timers_.next_wake_ns() <= clock_.now_ns();
}

void Worker::help_stuck_workers() noexcept {
  scheduler_.victims().visit_all(random_, [this](std::uint32_t i) {
    Worker& victim = scheduler_.worker(i);
    if (i != index_ && victim.stuck()) static_cast<void>(rescue(victim));
    return false;
  });
}

bool Worker::rescue(Worker& victim) noexcept {
  if (!victim.needs_rescue()) return false;
  if (victim.reactor_->needs_interrupt()) {
    interrupt(victim.thread_);
    const std::int64_t give_up_ns = now_ns() + kFlushPatienceNs;
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
