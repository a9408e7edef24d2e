// PerWorker<T>: one T for each worker, reached without a lock by whoever runs there.
//
// Threads: local() gives the calling worker's own. Never hold it across a co_await: after that you may be on another.
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

// The calling worker's number, from 0. Only in a task, and good until the next co_await.
[[nodiscard]] inline std::uint32_t this_worker() noexcept { return sched::current()->worker->index(); }

// The monotonic time at which the calling worker's current tick began: costs nothing, good to about a millisecond.
[[nodiscard]] inline std::chrono::nanoseconds coarse_now() noexcept {
  return std::chrono::nanoseconds(sched::current()->worker->tick_time_ns());
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
