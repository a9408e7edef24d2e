// SPDX-License-Identifier: MIT

// PerWorker<T>: one T for each worker, which tasks that run there reach without a lock; and what a task may know of the
// worker that it runs on.
//
//   PerWorker<Statistics> statistics(runtime.worker_count());   // all are made now
//   PerWorker<EncoderPool> pools;   // each is made when its worker first calls pools.local(options)
//
// Threads: local() in a task. It returns the value of the calling worker, which no other worker of that runtime is
// given; the reference must not be used after a co_await, since the task may then be on another worker, unless it is a
// task of spawn_local(). at() and for_each() on any thread, for a T that may be read while its worker writes to it.
// Lifetime: outlives the tasks that use it. A reference stays valid, and no value moves, until the PerWorker is
// destroyed.
// Errors: making a value may throw std::bad_alloc, or what the constructor of T throws.
// Memory: 8 KiB of pointers, and each value in cache lines of its own.
//
// Rejected: an array of T, which has to know the number of workers when it is made. Middleware is built before the
// runtime that will run it, and may serve two of them.
//
// Edges
//   P1  a value is published once it is made  ->  its worker, for_each() or a worker of another runtime finds it
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

namespace volt {

// Returns the number of the calling worker, from 0. Only in a task. Valid until the next co_await; in a task of
// spawn_local(), until it ends.
[[nodiscard]] inline std::uint32_t this_worker() noexcept { return sched::current()->worker_index; }

// Returns the monotonic time at which the current tick of the calling worker began. Reads no clock, and is right to
// about a millisecond. Only in a task.
[[nodiscard]] inline std::chrono::nanoseconds coarse_now() noexcept {
  return std::chrono::nanoseconds(sched::current()->tick_time_ns);
}

// The present turn of the calling task. All members are right to about a millisecond.
struct Turn {
  std::chrono::nanoseconds now{0};  // coarse_now()
  std::chrono::nanoseconds queued_for{
      0};                                // from when the task became runnable, or was spawned, to when this turn began
  std::chrono::nanoseconds busy_for{0};  // for how long the worker has always had another task to run
};
// Only in a task.
[[nodiscard]] inline Turn this_turn() noexcept {
  const sched::Context& context = *sched::current();
  return {.now = std::chrono::nanoseconds(context.tick_time_ns),
          .queued_for = std::chrono::nanoseconds(context.queued_for_ns),
          .busy_for = std::chrono::nanoseconds(context.tick_time_ns - context.idle_at_ns)};
}

template <class T>
class PerWorker {
 public:
  static constexpr std::uint32_t kWorkersMax = 1024;  // as many as a runtime may have

  // Each value is made when its worker first asks for it.
  PerWorker() = default;
  // The values of the workers 0 to workers - 1 are made now, without arguments: then their local() never allocates.
  explicit PerWorker(std::uint32_t workers) : PerWorker() {
    for (std::uint32_t worker = 0; worker != workers; ++worker) make(slot(worker));
  }
  PerWorker(const PerWorker&) = delete;
  PerWorker& operator=(const PerWorker&) = delete;
  ~PerWorker() {
    for (base::Atomic<Value*>& slot : slots_) delete slot.load(base::acquire);  // P1
  }

  // Returns the value of the calling worker; if there is none yet, makes it of `args`.
  template <class... Args>
  [[nodiscard]] T& local(const Args&... args) {
    base::Atomic<Value*>& own = slot(this_worker());
    Value* const value = own.load(base::acquire);  // P1
    return value != nullptr ? value->value : make(own, args...);
  }

  // Returns the value of that worker, which must have been made.
  [[nodiscard]] T& at(std::uint32_t worker) noexcept {
    Value* const value = slot(worker).load(base::acquire);  // P1
    VOLT_CHECK(value != nullptr);
    return value->value;
  }

  // Calls `function` with each value that has been made, in the order of the workers.
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

  // The workers of two runtimes may share a number: the first value that is published stays.
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
