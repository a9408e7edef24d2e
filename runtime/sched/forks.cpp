// SPDX-License-Identifier: MIT

#include "runtime/sched/forks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/sched/scheduler.h"

namespace volt::sched {
namespace {

// With as many jobs on offer as there may be thieves, each thief finds one; more jobs on offer would only cost fences.
constexpr std::uint32_t kOnOfferMin = 2;
constexpr std::uint32_t kOnOfferMax = 8;

// How often a forker checks for the end of a stolen job, or for parts of it to run, before it sleeps: about as long as
// a wake-up takes.
constexpr std::uint32_t kChecksBeforeSleep = 400;

}  // namespace

Forks::Forks(Worker& worker) noexcept
    : worker_(worker), deque_(std::clamp(worker.scheduler().idle().worker_count(), kOnOfferMin, kOnOfferMax)) {}

std::uint32_t Forks::workers() const noexcept { return worker_.scheduler().worker_count(); }

void Forks::wait_for(ForkJob& job) noexcept {
  std::uint32_t checks = 0;
  for (;;) {
    const ForkJob::End end = job.end();
    if (end == ForkJob::End::done) return;
    if (end == ForkJob::End::given_back) return job.run();
    if (help(job)) {
      checks = 0;
    } else if (++checks != kChecksBeforeSleep) {
      base::spin_pause();
    } else {
      checks = 0;
      sleep_until_woken(job);
    }
  }
}

// Runs a part of `job` that its thief offers. Returns false if there is none.
bool Forks::help(const ForkJob& job) noexcept {
  const std::optional<std::uint32_t> worker = job.thief();
  if (!worker) return false;
  Forks& thief = worker_.scheduler().worker(*worker).forks();
  ForkJob* part = thief.steal();  // J3
  if (part == nullptr) return false;
  // The job has not ended, so the thief was still in it when it offered the part (F): an earlier end would be seen now.
  if (job.end() == ForkJob::End::none) {  // J1
    run_stolen(*part, thief);
    return true;
  }
  if (part->give_back()) thief.wake_up();
  return false;
}

void Forks::run_stolen(ForkJob& job, Forks& forker) noexcept {
  job.begin(worker_.index());
  const Stolen stolen{job, forker};
  const Stolen* outer = std::exchange(runs_, &stolen);
  job.run();
  runs_ = outer;
  stolen_.store(stolen_.load(base::relaxed) + 1, base::relaxed);  // relaxed: one writer; readers only report
  if (job.finish()) forker.wake_up();
}

void Forks::sleep_until_woken(ForkJob& job) noexcept {
  asleep_.store(1, base::relaxed);  // relaxed: announced by J2
  if (job.announce_sleep()) {
    if (!help(job)) asleep_.wait(1, base::acquire);  // F1
    job.withdraw_sleep();
  }
  asleep_.store(0, base::relaxed);  // relaxed: a late wake_up finds no sleeper
}

void Forks::wake_up() noexcept {
  if (asleep_.exchange(0, base::release) != 0) asleep_.notify_one();  // F1
}

// Called when jobs are on offer and none was before. Wakes the forker of the job that this worker runs, if the forker
// sleeps, otherwise a parked worker. A worker that parks at this moment may be missed, which does no harm, because a
// forker runs all jobs that it offers itself if no thief takes them.
void Forks::offered() noexcept {
  if (runs_ != nullptr) {
    deque_.fence();  // J3
    if (runs_->job.forker_sleeps()) return runs_->forker.wake_up();
  }
  if (worker_.scheduler().idle().parked_count() != 0 && worth_.bet()) worker_.notify_one();
}

}  // namespace volt::sched
