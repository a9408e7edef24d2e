// PerWorker<T>: one T for each worker, reached without a lock by whoever runs there.
//
// Threads: local() gives the calling worker's own. Never hold it across a co_await: after that you may be on
// another, unless the task is one of spawn_local().
// Lifetime: outlives the tasks that use it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "runtime/base/cache_line.h"
#include "runtime/base/check.h"
#include "runtime/sched/current.h"
#include "runtime/sched/worker.h"

namespace volt {

// The calling worker's number, from 0. Only in a task, and good until the next co_await; in one of
// spawn_local(), for ever.
[[nodiscard]] inline std::uint32_t this_worker() noexcept { return sched::current()->worker->index(); }

// The monotonic time at which the calling worker's current tick began: costs nothing, good to about a millisecond.
[[nodiscard]] inline std::chrono::nanoseconds coarse_now() noexcept {
  return std::chrono::nanoseconds(sched::current()->worker->tick_time_ns());
}

// The calling task's present turn, as its worker sees it. All good to about a millisecond.
struct Turn {
  std::chrono::nanoseconds now{0};         // coarse_now()
  std::chrono::nanoseconds queued_for{0};  // from when it could go on, or was spawned, to the beginning of this turn
  std::chrono::nanoseconds busy_for{0};    // the worker has had another task to run, all that time
};
[[nodiscard]] inline Turn this_turn() noexcept {
  const sched::Worker& worker = *sched::current()->worker;
  return {.now = std::chrono::nanoseconds(worker.tick_time_ns()),
          .queued_for = std::chrono::nanoseconds(worker.queued_for_ns()),
          .busy_for = std::chrono::nanoseconds(worker.tick_time_ns() - worker.idle_at_ns())};
}

template <class T>
class PerWorker {
 public:
  explicit PerWorker(std::uint32_t workers) : count_(workers), slots_(std::make_unique<Slot[]>(workers)) {}

  [[nodiscard]] T& local() noexcept { return at(this_worker()); }

  // Any thread: for values that bear being looked at from outside.
  [[nodiscard]] T& at(std::uint32_t worker) noexcept {
    VOLT_CHECK(worker < count_);
    return slots_[worker].value;
  }
  [[nodiscard]] std::uint32_t size() const noexcept { return count_; }

 private:
  struct alignas(base::kNoSharingBytes) Slot {
    T value;
  };
  std::uint32_t count_;
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace volt
