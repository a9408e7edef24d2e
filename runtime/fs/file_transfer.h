// SPDX-License-Identifier: MIT

// FileTransfer: an awaiter that performs one read, write or sync of a file.
//
// It uses the first of these three methods that is possible:
//   1. At once, if the page cache has the data: preadv2(2) with RWF_NOWAIT. Cached reads are the common case, and cost
//      a system call and no task switch.
//   2. On the worker's ring, if the engine is io_uring: the worker continues with other tasks, and no thread is woken
//      for it.
//   3. On a thread of the blocking pool.
// Rejected: to try the ring first. The ring makes the same attempt inside the kernel, but the worker collects the
// result only at its next poll. For a cached read this was measured to be slower (loadtest/micro/file_benchmark.cpp).
//
// Threads: a transfer belongs to the task's thread; run() executes on a pool thread.
// Lifetime: in the awaiting frame; the buffer must live as long as the transfer.
// Cancellation: a transfer that waits for a pool thread is withdrawn; a transfer that is under way is awaited to its
// end, and its outcome is returned.
#pragma once

#include <coroutine>
#include <cstddef>

#include "runtime/base/result.h"
#include "runtime/io/file_operation.h"
#include "runtime/sched/blocking_job.h"
#include "runtime/sched/suspension.h"

namespace volt::fs {

class FileTransfer final : public sched::Suspension, public sched::BlockingJob {
 public:
  // If `cached` is true, a read from the page cache is tried first (method 1).
  FileTransfer(const io::FileOperation& operation, bool cached) noexcept : operation_(operation), cached_(cached) {}

  [[nodiscard]] bool await_ready() noexcept;
  [[nodiscard]] bool await_suspend(coro::AwaitPoint point) noexcept;
  // Returns the number of bytes. Errors: those of pread(2), pwrite(2) and fsync(2); resource_unavailable_try_again if
  // the pool is full.
  [[nodiscard]] Result<std::size_t> await_resume() const;
  [[nodiscard]] bool cancel() noexcept override;
  void run() noexcept override;

 private:
  io::FileOperation operation_;
  const bool cached_;
  bool done_ = false;     // true if the transfer ended at once
  bool on_ring_ = false;  // set before the operation starts on the ring
};

}  // namespace volt::fs
