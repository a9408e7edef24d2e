// SPDX-License-Identifier: MIT

// BlockingPool: threads for calls that block, such as file systems, getaddrinfo and SQLite. Threads are started on
// demand up to a bound and end when idle. Jobs that find no thread wait in a bounded queue.
//
// Threads: any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

#include "runtime/base/intrusive_list.h"
#include "runtime/sched/blocking_job.h"
#include "runtime/sched/metrics.h"
#include "runtime/sched/options.h"

namespace volt::sched {

class Scheduler;

class BlockingPool {
 public:
  BlockingPool(Scheduler& scheduler, const RuntimeOptions& options) noexcept
      : scheduler_(scheduler),
        threads_max_(options.blocking_threads_max),
        queue_max_(options.blocking_queue_max),
        idle_time_(options.blocking_idle_timeout) {}
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  // Queues the job. Returns false if the queue is full, or if the pool has no thread and cannot start one.
  [[nodiscard]] bool submit(BlockingJob& job) noexcept;
  // Removes the job from the queue. Returns false if the job is not in the queue: it runs, has run, or was never
  // queued.
  [[nodiscard]] bool withdraw(BlockingJob& job) noexcept;

  // Ends the threads and waits for them. Must be called when no job is queued or running.
  void stop() noexcept;

  void report(RuntimeMetrics& metrics) const;

 private:
  using Threads = std::list<std::thread>;
  void serve(Threads::iterator self);

  Scheduler& scheduler_;
  const std::uint32_t threads_max_;
  const std::size_t queue_max_;
  const std::chrono::milliseconds idle_time_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  base::List<BlockingJob> queue_;
  std::size_t queue_length_ = 0;
  std::uint32_t idle_ = 0;  // number of threads that wait for a job
  bool stopping_ = false;
  Threads threads_;
  Threads ended_;  // ended threads that are to be joined
};

}  // namespace volt::sched
