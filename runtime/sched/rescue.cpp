#include "runtime/sched/rescue.h"

#include <signal.h>

#include <chrono>

#include "runtime/sched/current.h"
#include "runtime/sched/scheduler.h"

namespace volt::sched {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(1);
// Looks without progress before the watchman sleeps: long enough that a steady trickle of requests does not wake it
// each time, short enough that it costs an idle server nothing worth measuring.
constexpr int kQuietLooks = 20;

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

void interrupt(pthread_t worker_thread) noexcept { ::pthread_kill(worker_thread, kInterruptSignal); }

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
    if (in_task && progress == last_progress_[i]) {
      worker.mark_stuck(progress);
      stuck = true;
      help_wanted = help_wanted || worker.needs_rescue();
    }
    last_progress_[i] = progress;
  }
  any_stuck_.store(stuck, base::relaxed);  // relaxed: a hint
  if (help_wanted) scheduler_.notify_one();
  return active;
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

}  // namespace volt::sched
