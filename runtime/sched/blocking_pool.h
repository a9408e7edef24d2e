// Threads for what blocks: file systems, getaddrinfo, SQLite. Started on demand up to a bound, ended when idle; what
// finds no thread waits in a bounded queue.
//
// Threads: any. Lifetime: a job stays put until it ran or was withdrawn.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

#include "runtime/base/intrusive_list.h"
#include "runtime/sched/metrics.h"
#include "runtime/sched/options.h"

namespace volt::sched {

class BlockingJob : public base::ListNode {
 public:
  // On a pool thread. The job may be gone when it returns.
  virtual void run() noexcept = 0;

 protected:
  ~BlockingJob() = default;
};

class BlockingPool {
 public:
  explicit BlockingPool(const RuntimeOptions& options) noexcept
      : threads_max_(options.blocking_threads_max),
        queue_max_(options.blocking_queue_max),
        idle_time_(options.blocking_idle_timeout) {}
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  // False if the queue is full, or no thread can be had.
  [[nodiscard]] bool submit(BlockingJob& job) noexcept;
  // True if the job was still waiting: it will not run.
  [[nodiscard]] bool withdraw(BlockingJob& job) noexcept;

  // No job is queued or running any more: ends the threads.
  void stop() noexcept;

  void report(RuntimeMetrics& metrics) const;

 private:
  using Threads = std::list<std::thread>;
  void serve(Threads::iterator self);

  const std::uint32_t threads_max_;
  const std::size_t queue_max_;
  const std::chrono::milliseconds idle_time_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  base::List<BlockingJob> queue_;
  std::size_t queue_length_ = 0;
  std::uint32_t idle_ = 0;  // threads that wait for a job
  bool stopping_ = false;
  Threads threads_;
  Threads ended_;  // to be joined
};

}  // namespace volt::sched
