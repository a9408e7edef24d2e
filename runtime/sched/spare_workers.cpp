// SPDX-License-Identifier: MIT

#include "runtime/sched/spare_workers.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <new>

#include "runtime/sched/scheduler.h"
#include "runtime/sched/signal_stack.h"
#include "runtime/sched/time_slice.h"
#include "runtime/sched/worker.h"

namespace volt::sched {
namespace {

// Spares serve for this long after all workers were last found stuck. Between two long tasks a worker is free for a
// moment only: if spares left at once, every stream would move twice for each long task.
constexpr std::int64_t kServeAfterNs = 100'000'000;

}  // namespace

SpareWorkers::SpareWorkers(Scheduler& scheduler, std::uint32_t spares_max, std::chrono::nanoseconds idle_timeout)
    : scheduler_(scheduler), idle_timeout_ns_(idle_timeout.count()), spares_(spares_max) {}

SpareWorkers::~SpareWorkers() = default;

void SpareWorkers::sample(std::int64_t at_ns, bool all_stuck, bool wanted) noexcept {
  if (all_stuck) all_stuck_at_ns_ = at_ns;
  if (serving_ != 0 && at_ns - all_stuck_at_ns_ >= kServeAfterNs) return retire_all();
  if (!wanted) return;
  for (Spare& spare : spares_) {
    if (!spare.serves || spare.worker->stuck()) continue;
    spare.worker->wake();
    return;
  }
  activate();
}

// Activates the first spare that does not serve: one that is still parked from before costs least.
void SpareWorkers::activate() noexcept {
  for (std::uint32_t number = 0; number != max(); ++number) {
    Spare& spare = spares_[number];
    if (spare.serves) continue;
    if (spare.worker == nullptr && !create(spare, number)) return;
    if (spare.worker->duty().start_to_serve()) {
      if (spare.thread.joinable()) spare.thread.join();
      try {
        spare.thread = std::thread([worker = spare.worker.get()] {
          ::pthread_setname_np(::pthread_self(), "volt-spare");
          worker->set_thread(::gettid());
          worker->scheduler().profiler().join(*worker);
          const SignalStack signal_stack;
          request_short_time_slice();
          worker->run_as_spare();
        });
      } catch (const std::exception&) {  // decided: the work waits for the workers, as without spares
        spare.worker->duty().end_service();
        failures_.fetch_add(1, base::relaxed);  // relaxed: a statistic
        return;
      }
    } else {
      spare.worker->wake();
    }
    spare.serves = true;
    ++serving_;
    activations_.fetch_add(1, base::relaxed);  // relaxed: a statistic
    return;
  }
}

bool SpareWorkers::create(Spare& spare, std::uint32_t number) noexcept {
  try {
    auto worker = std::make_unique<Worker>(scheduler_, scheduler_.worker_count() + number);
    if (worker->open_reactor(io::Engine::epoll)) spare.worker = std::move(worker);
  } catch (const std::bad_alloc&) {  // decided: as for a thread that cannot be started
  }
  if (spare.worker == nullptr) {
    failures_.fetch_add(1, base::relaxed);  // relaxed: a statistic
    return false;
  }
  spares_.publish(number + 1);
  scheduler_.timeline().join(*spare.worker);
  return true;
}

void SpareWorkers::retire_all() noexcept {
  for (Spare& spare : spares_) {
    if (!spare.serves) continue;
    spare.serves = false;
    spare.worker->duty().start_to_leave();
    spare.worker->wake();
  }
  serving_ = 0;
}

bool SpareWorkers::at_rest() const noexcept {
  for (std::uint32_t number = 0; number != count(); ++number) {
    if (!worker(number).duty().at_rest()) return false;
  }
  return true;
}

void SpareWorkers::stop() noexcept {
  for (Spare& spare : spares_) {
    if (!spare.thread.joinable()) continue;
    spare.worker->wake();
    spare.thread.join();
  }
}

// ---- the part of the spare's thread ----

void Worker::run_as_spare() noexcept {
  set_current(&context_);
  context_.idle_at_ns = clock_.now_ns();
  run_until_service_ends();
  frames_.flush_returns();
  frames_.trim(std::numeric_limits<std::uint32_t>::max());
  set_current(nullptr);
}

// Moves the streams of this spare to the workers. Wakes each task that waits for data on one of them, as if data had
// come. The task then runs on a worker, finds no data, and waits again, which makes that worker the home of its stream.
// A task that waits for something else moves its stream at its next wait for data. Returns false if there are streams
// that cannot move yet: the worker that they have left for this spare is still stuck, and has not ended its poll.
bool Worker::send_streams_home() noexcept {
  bool all_may_move = true;
  base::Chain<io::Completion> woken;
  for (io::Source* source : homed_.take_references()) {
    all_may_move = all_may_move && !source->leaving();
    source->report(io::Source::kReadable, woken);
    source->drop_reference();
  }
  schedule(woken);
  return all_may_move;
}

bool Worker::may_end_spare(std::int64_t left_at_ns) const noexcept {
  if (context_.tick_time_ns - left_at_ns < scheduler_.spares().idle_timeout_ns()) return false;
  return homed_.size() == 0 && timers_.next_wake_ns() == TimerNode::kNever;
}

void Worker::sleep_as_spare(bool serves, std::int64_t left_at_ns, std::int64_t send_home_at_ns) noexcept {
  frames_.flush_returns();
  counters_.parks.add();
  const std::int64_t kept_until_ns = left_at_ns + scheduler_.spares().idle_timeout_ns();
  const bool may_end_later = !serves && context_.tick_time_ns < kept_until_ns;
  std::int64_t until_ns = sleep_until_ns();
  if (!serves) until_ns = std::min(until_ns, send_home_at_ns);
  await_events(may_end_later ? std::min(until_ns, kept_until_ns) : until_ns);
}

}  // namespace volt::sched
