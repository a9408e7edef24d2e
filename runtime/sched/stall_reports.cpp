// SPDX-License-Identifier: MIT

#include "runtime/sched/stall_reports.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "runtime/sched/work_class.h"

namespace volt::sched {
namespace {

// The charged times at which a turn is reported. Users may notice the second one; a turn of the third may never end.
constexpr std::int64_t kReportAtNs[] = {WorkClass::kLongTurn.count(), 50'000'000, 1'000'000'000};
constexpr std::int64_t kReportWaitAtNs = 50'000'000;

Stall stall_of(std::uint32_t worker, TaskId task, const TurnUse& use, std::span<const void* const> stack) noexcept {
  using namespace std::chrono;
  const auto at = [](std::int64_t ns) { return steady_clock::time_point(nanoseconds(ns)); };
  const std::int64_t charged_ns = use.computed_ns() + use.blocked_ns();
  const StallCause cause = charged_ns < kReportAtNs[0]             ? StallCause::no_processor
                           : use.computed_ns() >= use.blocked_ns() ? StallCause::computing
                                                                   : StallCause::blocked;
  return {.worker = worker,
          .task = task,
          .cause = cause,
          .lasted = duration_cast<milliseconds>(nanoseconds(use.lasted_ns())),
          .processor_time = duration_cast<microseconds>(nanoseconds(use.computed_ns())),
          .waited = duration_cast<microseconds>(nanoseconds(use.waited_ns())),
          .since = at(use.first_ns()),
          .until = at(use.last_ns()),
          .stack = stack};
}

}  // namespace

bool StallReports::note(std::uint32_t worker, TaskId task, const TurnUse& use, TurnReports& reports,
                        std::span<const void* const> stack) noexcept {
  const std::int64_t charged_ns = use.computed_ns() + use.blocked_ns();
  std::uint8_t due = 0;
  while (due != std::size(kReportAtNs) && charged_ns >= kReportAtNs[due]) ++due;
  const bool waits = due == 0 && !reports.waited && use.waited_ns() >= kReportWaitAtNs;
  if (due <= reports.count && !waits) return false;
  const bool is_new = due != 0 && reports.count == 0;
  reports = {.task = task, .count = std::max(due, reports.count), .waited = reports.waited || waits};
  stalls_.push_back(stall_of(worker, task, use, stack));  // reserved
  return is_new;
}

void StallReports::note_end(std::uint32_t worker, const TurnUse& use, const TurnReports& reports,
                            std::span<const void* const> stack) noexcept {
  if (reports.count < 2) return;
  Stall stall = stall_of(worker, reports.task, use, stack);
  stall.ended = true;
  stalls_.push_back(stall);  // reserved
}

// The reference keeps an observer that replaces itself until it has returned.
void StallReports::deliver() {
  for (const Stall& stall : stalls_) {
    std::unique_lock lock(mutex_);
    const std::shared_ptr<const Observer> observer = observer_;
    if (observer == nullptr) break;
    calling_thread_ = std::this_thread::get_id();
    ++calls_;
    lock.unlock();
    (*observer)(stall);
    lock.lock();
    ++calls_;
    returned_.notify_all();
  }
  stalls_.clear();
}

void StallReports::on_stall(Observer observer) {
  auto shared = observer ? std::make_shared<const Observer>(std::move(observer)) : nullptr;
  std::unique_lock lock(mutex_);
  observer_.swap(shared);
  const std::uint64_t call = calls_;
  const bool runs = call % 2 != 0 && std::this_thread::get_id() != calling_thread_;
  if (runs) returned_.wait(lock, [&] { return calls_ != call; });
  lock.unlock();  // before the previous observer is destroyed, whose destructor may do anything
}

}  // namespace volt::sched
