// SPDX-License-Identifier: MIT

// The theft of parts of forks and of children. WorkerLoop decides where a worker searches.
#include <chrono>

#include "runtime/sched/clock.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/worker.h"

namespace volt::sched {
namespace {

// After a worker has stolen a part of a fork and the theft paid, the worker searches this many times for further parts
// before it parks. These searches together take about as long as a wake-up.
constexpr std::uint32_t kSearchesForForks = 32;
constexpr std::uint32_t kPausesBetweenSearches = 16;

}  // namespace

bool Worker::worth_forking_for() const noexcept {
  return forks_.attractive() || child_offers_.attractive() || (forks_.on_offer() && stuck());
}

// Makes tasks of children that `parent` offers. Runs the first turn of one of them at once, to learn whether this pays.
// Returns false if there were none.
bool Worker::take_children_of(Worker& parent) noexcept {
  ChildOffer* const offer = parent.child_offers_.attractive() ? parent.child_offers_.steal() : nullptr;
  if (offer == nullptr) return false;
  note_work();
  timeline_.begin_theft();
  base::Chain<TaskHeader> tasks;
  offer->make_tasks(tasks);
  timeline_.end_theft(parent.index_, tasks.size());
  TaskHeader& first = *tasks.pop_front();
  queue_children(tasks);
  prepare_child(first);
  if (goes_to_heavy(first)) {
    push_back(first);
    return true;
  }
  const std::int64_t began_ns = now_ns();
  run(first);
  const std::chrono::nanoseconds took(now_ns() - began_ns);
  fork_searches_left_ = parent.child_offers_.worth().job_took(took) ? kSearchesForForks : 0;
  take_io_turn_if_due(took);
  return true;
}

// Makes tasks of all children that the victim offers, and queues them. Returns their number.
std::uint64_t Worker::rescue_children(Worker& victim) noexcept {
  std::uint64_t count = 0;
  while (ChildOffer* offer = victim.child_offers_.steal()) {
    base::Chain<TaskHeader> tasks;
    offer->make_tasks(tasks);
    count += tasks.size();
    queue_children(tasks);
  }
  return count;
}

// Steals and runs a part of a fork that `forker` offers. Returns false if no part was taken. While this worker runs the
// part, the watchdog and reports count it as running the forker's task.
bool Worker::fork_for(Worker& forker) noexcept {
  if (take_children_of(forker)) return true;
  if (!forker.worth_forking_for()) return false;
  ForkJob* job = forker.forks_.steal();
  if (job == nullptr) return false;
  note_work();
  timeline_.note(TimelineEvent::Kind::fork, forker.index());
  if (forker.worth_forking_for()) notify_one();
  const std::int64_t began_ns = now_ns();
  runs_stolen_part_ = true;
  begin_run(*forker.context_.task);  // the forker's task does not change until the job is done
  forks_.run_stolen(*job, forker.forks_);
  end_run();
  runs_stolen_part_ = false;
  const std::chrono::nanoseconds took(now_ns() - began_ns);
  fork_searches_left_ = forker.forks_.worth().job_took(took) ? kSearchesForForks : 0;
  take_io_turn_if_due(took);
  return true;
}

// A worker that takes one part after the other runs no tick, which would collect its events.
void Worker::take_io_turn_if_due(std::chrono::nanoseconds took) noexcept {
  if (took >= TickBudget::kTimeBeforeIo || ++polls_since_io_ >= polls_before_io()) take_io_turn();
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
