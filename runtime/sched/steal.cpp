// SPDX-License-Identifier: MIT

// How a worker searches the other workers for work: first for tasks, then for parts of forks.
#include <chrono>

#include "runtime/sched/clock.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/worker.h"

namespace volt::sched {
namespace {

// A backlog that takes less time than this is not worth stealing: its owner finishes it before the thief's caches are
// warm.
constexpr std::int64_t kStealWorthNs = 30'000;

// After a worker has stolen a part of a fork and the theft paid, the worker searches this many times for further parts
// before it parks. These searches together take about as long as a wake-up.
constexpr std::uint32_t kSearchesForForks = 32;
constexpr std::uint32_t kPausesBetweenSearches = 16;

}  // namespace

bool Worker::find_elsewhere() noexcept {
  if (!scheduler_.stealing()) return false;
  return steal();
}

bool Worker::steal() noexcept {
  if (!searching_) {
    if (!scheduler_.idle().try_start_search(index_)) return false;
    searching_ = true;
  }
  const bool stole = scheduler_.victims().visit_all(random_, [this](std::uint32_t i) {
    if (i == index_) return false;
    counters_.steal_attempts.add();
    return steal_from(scheduler_.worker(i));
  });
  if (stole || help_stuck_spares()) return true;
  const bool forked = scheduler_.victims().visit_all(
      random_, [this](std::uint32_t i) { return i != index_ && fork_for(scheduler_.worker(i)); });
  return forked || stay_for_forks();
}

bool Worker::steal_from(Worker& victim) noexcept {
  if (victim.stuck()) return rescue(victim);
  if (!victim.worth_stealing_from()) return false;
  const std::uint32_t count = victim.queue_.steal_half_into(queue_);
  if (count == 0) return false;
  counters_.stolen.add(count);
  counters_.stolen_from[victim.index_].add(count);
  return true;
}

bool Worker::worth_stealing_from() const noexcept {
  const std::uint32_t backlog = queue_.size();
  if (backlog == 0) return false;
  return backlog * average_task_ns_.load(base::relaxed) >= kStealWorthNs;  // relaxed: a hint
}

bool Worker::worth_forking_for() const noexcept { return forks_.attractive() || (forks_.on_offer() && stuck()); }

// Steals and runs a part of a fork that `forker` offers. Returns false if no part was taken. While this worker runs the
// part, the watchdog and reports count it as running the forker's task.
bool Worker::fork_for(Worker& forker) noexcept {
  if (!forker.worth_forking_for()) return false;
  ForkJob* job = forker.forks_.steal();
  if (job == nullptr) return false;
  note_work();
  if (forker.worth_forking_for()) notify_one();
  const std::int64_t began_ns = now_ns();
  begin_run(*forker.context_.task);  // the forker's task does not change until the job is done
  forks_.run_stolen(*job, forker.forks_);
  end_run();
  const std::chrono::nanoseconds took(now_ns() - began_ns);
  fork_searches_left_ = forker.forks_.worth().job_took(took) ? kSearchesForForks : 0;
  return true;
}

// Returns whether the worker should search again instead of parking; pauses briefly if so. After a theft that paid, the
// worker stays awake for a bounded number of searches, because the forker will probably offer the next part soon.
bool Worker::stay_for_forks() noexcept {
  if (fork_searches_left_ == 0) return false;
  --fork_searches_left_;
  for (std::uint32_t i = 0; i != kPausesBetweenSearches; ++i) base::spin_pause();
  return true;
}

}  // namespace volt::sched
