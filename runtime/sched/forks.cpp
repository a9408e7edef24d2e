// SPDX-License-Identifier: MIT

#include "runtime/sched/forks.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/sched/scheduler.h"

namespace volt::sched {
namespace {

// As many jobs are on offer as there may be thieves, so each thief finds a job. More jobs on offer would only cost
// fences.
constexpr std::uint32_t kOnOfferMin = 2;
constexpr std::uint32_t kOnOfferMax = 8;

// The number of times that a forker checks, before it sleeps, whether a stolen job has ended or offers a part to run.
// The checks together take about as long as a wake-up.
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

// Helps the thief of `job`: takes a job that the thief offers, and runs it if it is a part of `job`. Returns false if
// it ran nothing.
bool Forks::help(const ForkJob& job) noexcept {
  const std::optional<std::uint32_t> worker = job.thief();
  if (!worker) return false;
  Forks& thief = worker_.scheduler().worker(*worker).forks();
  ForkJob* part = thief.steal();  // J3
  if (part == nullptr) return false;
  // If the thief had ended `job` before it offered the part, this load would see the end. So the part belongs to `job`
  // (invariant F).
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
  Context& context = *current();
  const LogContext* const outer_context = std::exchange(context.log_context, job.log_context());
  job.run();
  context.log_context = outer_context;
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

// Called when a job is on offer and none was before. If this worker runs a stolen job whose forker sleeps, wakes that
// forker; otherwise may wake a parked worker. A worker that parks at this moment may stay asleep. This does no harm: if
// no thief takes a job, its forker runs the job itself.
void Forks::offered() noexcept {
  if (runs_ != nullptr) {
    deque_.fence();  // J3
    if (runs_->job.forker_sleeps()) return runs_->forker.wake_up();
  }
  if (worker_.scheduler().idle().any_parked() && worth_.bet()) worker_.notify_one();
}

}  // namespace volt::sched
