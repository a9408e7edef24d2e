// FileTransfer: the wait for one read, write or sync of a file.
//
// Three ways, the first that does:
//   1. At once, if the page cache has it: preadv2(2) with RWF_NOWAIT. A cached read is the rule, and it costs a system
//      call and no task switch.
//   2. On the worker's ring, where the engine is io_uring: the worker goes on, and no thread is woken for it.
//   3. On a thread of the blocking pool.
// Rejected: the ring first. It tries the same thing inside the kernel, but the answer comes with the next poll; a
// cached read took more than twice as long (loadtest/micro/file_benchmark.cpp).
//
// Threads: the task's; run() a pool thread. Lifetime: in the awaiting frame; the buffer lives as long.
// Cancellation: one that waits for a thread is taken back; one that is under way is awaited to its end, and its outcome
// given.
#pragma once

#include <coroutine>
#include <cstddef>

#include "runtime/base/result.h"
#include "runtime/io/file_operation.h"
#include "runtime/sched/blocking_pool.h"
#include "runtime/sched/suspension.h"

namespace volt::fs {

class FileTransfer final : public sched::Suspension, public sched::BlockingJob {
 public:
  // `cached`: a read may be tried at once.
  FileTransfer(const io::FileOperation& operation, bool cached) noexcept : operation_(operation), cached_(cached) {}

  [[nodiscard]] bool await_ready() noexcept;
  [[nodiscard]] bool await_suspend(std::coroutine_handle<> frame) noexcept;
  // Bytes. Errors: as of pread(2), pwrite(2), fsync(2); resource_unavailable_try_again if the pool is full.
  [[nodiscard]] Result<std::size_t> await_resume() const;
  [[nodiscard]] bool cancel() noexcept override;
  void run() noexcept override;

 private:
  io::FileOperation operation_;
  const bool cached_;
  bool done_ = false;     // at once
  bool on_ring_ = false;  // set before it starts there
};

}  // namespace volt::fs
