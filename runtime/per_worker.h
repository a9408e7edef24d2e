// SPDX-License-Identifier: MIT

// PerWorker<T>: one T for each worker; a task reaches the T of its worker without a lock. Also functions that tell a
// task about its worker: this_worker(), on_spare_worker(), coarse_now(), this_turn() and queued_work().
//
//   PerWorker<Statistics> statistics(runtime.worker_slots());   // creates all values immediately
//   PerWorker<EncoderPool> pools;   // creates a value when its worker first calls pools.local(options)
//
// Threads: local() must be called in a task. It returns the value of the calling worker; no other worker of that
// runtime gets this value. The reference must not be used after a co_await, because the task may then be on another
// worker; only a task of spawn_local() may keep it. at() and for_each() may be called from any thread, if one thread
// may read a T while its worker writes to it.
// Lifetime: must outlive the tasks that use it. Values do not move, and references to them stay valid, until the
// PerWorker is destroyed.
// Errors: the creation of a value may throw std::bad_alloc, or an exception of T's constructor.
// Memory: 8 KiB of pointers; each value has cache lines of its own. The value of a spare worker stays when the
// thread has ended, so it should keep no memory for later use (on_spare_worker()).
//
// Rejected: an array of T. Its size, the number of workers, must be known when it is created, but middleware is created
// before the runtime that will run it. The same middleware may also serve two runtimes.
//
// Edges
//   P1  the publication of a new value  ->  a load by its worker, for_each() or another runtime's worker : the value
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/base/atomic.h"
#include "runtime/base/cache_line.h"
#include "runtime/base/check.h"
#include "runtime/sched/current.h"
#include "runtime/sched/options.h"

namespace volt {

// Returns the number of the calling worker, from 0 to Runtime::worker_slots() - 1. Must be called in a task. The number
// may change at the next co_await; in a task of spawn_local() it never changes.
[[nodiscard]] inline std::uint32_t this_worker() noexcept {
  return sched::worker_context("this_worker()").worker_index;
}

// Returns whether the calling worker is a spare worker: its thread serves only while all workers are stuck, then ends.
// Must be called in a task.
[[nodiscard]] bool on_spare_worker() noexcept;

// Returns the monotonic time at which the calling worker began its current tick. Reads no clock; accurate to about a
// millisecond. Must be called in a task.
[[nodiscard]] inline std::chrono::nanoseconds coarse_now() noexcept {
  return std::chrono::nanoseconds(sched::worker_context("coarse_now()").tick_time_ns);
}

// The current turn of the calling task: its execution since the worker last took it from a queue. All times are
// accurate to about a millisecond.
struct Turn {
  std::chrono::nanoseconds now{0};  // coarse_now()
  // Time from the moment when the task became runnable, or was spawned, to the beginning of this turn.
  std::chrono::nanoseconds queued_for{0};
  std::chrono::nanoseconds busy_for{0};  // time since the worker last had no task to run
};
// Must be called in a task.
[[nodiscard]] inline Turn this_turn() noexcept {
  const sched::Context& context = sched::worker_context("this_turn()");
  return {.now = std::chrono::nanoseconds(context.tick_time_ns),
          .queued_for = std::chrono::nanoseconds(context.queued_for_ns),
          .busy_for = std::chrono::nanoseconds(context.tick_time_ns - context.idle_at_ns)};
}

// Estimates how long the tasks behind the calling one will keep its worker busy: the number of tasks in the worker's
// queue and in its share of the global queue, times the average duration of its last turns. Must be called in a task.
[[nodiscard]] std::chrono::nanoseconds queued_work() noexcept;

template <class T>
class PerWorker {
 public:
  // Maximum number of workers and spare workers of a runtime.
  static constexpr std::uint32_t kWorkersMax = RuntimeOptions::kWorkersMax + RuntimeOptions::kSpareWorkersMax;

  // Creates the value of a worker when the worker first calls local().
  PerWorker() = default;
  // Immediately creates the values of the workers 0 to `workers` - 1, without arguments, so that their local() never
  // allocates.
  explicit PerWorker(std::uint32_t workers) : PerWorker() {
    for (std::uint32_t worker = 0; worker != workers; ++worker) make(slot(worker));
  }
  PerWorker(const PerWorker&) = delete;
  PerWorker& operator=(const PerWorker&) = delete;
  ~PerWorker() {
    for (base::Atomic<Value*>& slot : slots_) delete slot.load(base::acquire);  // P1
  }

  // Returns the value of the calling worker; constructs it from `args` if there is none yet.
  template <class... Args>
  [[nodiscard]] T& local(const Args&... args) {
    base::Atomic<Value*>& own = slot(this_worker());
    Value* const value = own.load(base::acquire);  // P1
    return value != nullptr ? value->value : make(own, args...);
  }

  // Returns the value of `worker`, which must exist already.
  [[nodiscard]] T& at(std::uint32_t worker) noexcept {
    Value* const value = slot(worker).load(base::acquire);  // P1
    VOLT_CHECK(value != nullptr);
    return value->value;
  }

  // Calls `function` with each existing value, in the order of the workers.
  template <class F>
  void for_each(F function) const {
    for (const base::Atomic<Value*>& slot : slots_) {
      if (Value* const value = slot.load(base::acquire)) function(value->value);  // P1
    }
  }

 private:
  struct alignas(base::kNoSharingBytes) Value {
    template <class... Args>
    explicit Value(const Args&... args) : value(args...) {}
    T value;
  };

  [[nodiscard]] base::Atomic<Value*>& slot(std::uint32_t worker) noexcept {
    VOLT_CHECK(worker < kWorkersMax);
    return slots_[worker];
  }

  // Creates and publishes a value. Workers of two runtimes may have the number of this slot, and may create its value
  // at the same time: the value that is published first is kept, and the other one is destroyed.
  template <class... Args>
  static T& make(base::Atomic<Value*>& slot, const Args&... args) {
    auto made = std::make_unique<Value>(args...);
    Value* present = nullptr;
    const bool published = slot.compare_exchange_strong(present, made.get(), base::release, base::acquire);  // P1
    return published ? made.release()->value : present->value;
  }

  std::array<base::Atomic<Value*>, kWorkersMax> slots_{};
};

}  // namespace volt
