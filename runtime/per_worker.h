// PerWorker<T>: one T for each worker, accessed without a lock by the tasks that run on that worker.
//
// Threads: local() returns the calling worker's T. Never hold the reference across a co_await: after it the task may be
// on another worker, unless it was started by spawn_local().
// Lifetime: must outlive the tasks that use it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "runtime/base/cache_line.h"
#include "runtime/base/check.h"
#include "runtime/sched/current.h"
#include "runtime/sched/worker.h"

namespace volt {

// Returns the index of the calling worker, from 0. Must be called in a task. The result is valid until the next
// co_await, and in a task of spawn_local() always.
[[nodiscard]] inline std::uint32_t this_worker() noexcept { return sched::current()->worker->index(); }

// Returns the monotonic time at which the current tick of the calling worker began. Costs no system call; accurate to
// about a millisecond.
[[nodiscard]] inline std::chrono::nanoseconds coarse_now() noexcept {
  return std::chrono::nanoseconds(sched::current()->worker->tick_time_ns());
}

// The current turn of the calling task on its worker. All durations are accurate to about a millisecond.
struct Turn {
  std::chrono::nanoseconds now{0};         // the value of coarse_now()
  std::chrono::nanoseconds queued_for{0};  // from when the task became runnable to the start of this turn
  std::chrono::nanoseconds busy_for{0};    // how long the worker has had further tasks to run without interruption
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

  // Returns the T of one worker. Any thread may call it, if T is safe to access from several threads. `worker` must be
  // below size().
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
