// SPDX-License-Identifier: MIT

// SpareWorkers: threads that run what waits while every worker is stuck in a task.
//
// The problem. An idle worker rescues the connections of a stuck one (watchdog.h). When all workers compute, or are
// blocked in calls, no worker is idle, and everything waits for the first task that ends. Go hands the processor of a
// blocked thread to another thread, and preempts a goroutine that computes; a C++ task cannot be preempted, but the
// kernel can preempt its thread.
//
// The design.
//   - When the watchdog finds every worker stuck and work waiting, it activates a spare worker: a Worker with a thread
//     and a reactor of its own, which rescues the stuck workers and runs what it finds. The streams of the tasks that
//     it runs move to its reactor, so that later events reach it at once. If it gets stuck as well, the next spare is
//     activated.
//   - A spare serves until the workers have not all been stuck for kServeAfterNs. Then it leaves: it hands its tasks to
//     the global queue, and wakes the tasks that wait for data on its reactor, which makes their streams move to the
//     workers that run them. It stays parked until its last stream, timer and message are gone, and a while longer in
//     case it is needed again; then its thread ends.
//   - A spare takes no part in the idle state: no push wakes it, and it never searches. The watchdog wakes it, at every
//     sample for as long as all workers are stuck and work waits. So nothing that a push relies on depends on spares.
//   - Its reactor is epoll's under both engines. An epoll set belongs to no thread, so that it outlives the spare's
//     thread, needs no interrupt to be rescued, and costs two descriptors and no locked memory.
//   - Pinned tasks never run on a spare. Tasks that are known to be heavy run there only while stuck threads are
//     blocked, so that spares do not compete with the workers for the processors (heavy_queue.h).
//   - A spare asks the kernel for short time slices (time_slice.h), so that it gets a processor soon when light work
//     arrives although other threads compute.
//
// Threads: the watchdog's, except count(), worker(), and stop(), which belongs to the scheduler's creator after the
// watchdog has ended.
// Lifetime: a spare Worker exists from its first activation until the scheduler is destroyed.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "runtime/base/atomic.h"
#include "runtime/base/published_array.h"

namespace volt::sched {

class Scheduler;
class Worker;

class SpareWorkers {
 public:
  SpareWorkers(Scheduler& scheduler, std::uint32_t spares_max, std::chrono::nanoseconds idle_timeout);
  ~SpareWorkers();

  [[nodiscard]] std::uint32_t max() const noexcept { return spares_.size(); }
  // Returns how many spares exist. Those are worker(0) to worker(count() - 1).
  [[nodiscard]] std::uint32_t count() const noexcept { return spares_.published(); }
  [[nodiscard]] Worker& worker(std::uint32_t number) const noexcept { return *spares_[number].worker; }
  // Returns how long the thread of a spare that serves no more is kept, because waking it costs less than starting it.
  [[nodiscard]] std::int64_t idle_timeout_ns() const noexcept { return idle_timeout_ns_; }
  // Returns whether no spare runs a task, nor will before sample() is called again.
  [[nodiscard]] bool at_rest() const noexcept;
  // Returns how often a spare was activated.
  [[nodiscard]] std::uint64_t activations() const noexcept {
    return activations_.load(base::relaxed);  // relaxed: a statistic
  }

  // Returns how often a spare was wanted and could not be started, for want of memory, threads or descriptors.
  [[nodiscard]] std::uint64_t failures() const noexcept {
    return failures_.load(base::relaxed);  // relaxed: a statistic
  }

  // Called at each sample. `wanted`: every worker is stuck and work waits; `all_stuck`: every worker is stuck.
  void sample(std::int64_t at_ns, bool all_stuck, bool wanted) noexcept;
  // Ends the threads. The workers must have been told to stop.
  void stop() noexcept;

 private:
  struct Spare {
    std::unique_ptr<Worker> worker;
    std::thread thread;
    bool serves = false;
  };

  void activate() noexcept;
  [[nodiscard]] bool create(Spare& spare, std::uint32_t number) noexcept;
  void retire_all() noexcept;

  Scheduler& scheduler_;
  const std::int64_t idle_timeout_ns_;
  base::PublishedArray<Spare> spares_;
  std::uint32_t serving_ = 0;  // number of spares that serve
  std::int64_t all_stuck_at_ns_ = 0;
  base::Atomic<std::uint64_t> activations_{0};
  base::Atomic<std::uint64_t> failures_{0};
};

}  // namespace volt::sched
