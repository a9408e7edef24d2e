// SPDX-License-Identifier: MIT

#include "runtime/fs/file_transfer.h"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/sched/scheduler.h"

namespace volt::fs {
namespace {

ssize_t perform(const io::FileOperation& operation, int flags) noexcept {
  using enum io::FileOperation::Kind;
  const iovec buffer{operation.buffer, operation.size_bytes};
  const auto offset = static_cast<off_t>(operation.offset);
  switch (operation.kind) {
    case read:
      return ::preadv2(operation.fd, &buffer, 1, offset, flags);
    case write:
      return ::pwritev2(operation.fd, &buffer, 1, offset, flags);
    case append:
      return ::pwritev2(operation.fd, &buffer, 1, 0, flags | RWF_APPEND);
    case sync:
      return ::fsync(operation.fd);
    case sync_data:
      return ::fdatasync(operation.fd);
  }
  return 0;
}

std::int32_t result_of(ssize_t count) noexcept { return static_cast<std::int32_t>(count < 0 ? -errno : count); }

}  // namespace

bool FileTransfer::await_ready() noexcept {
  if (begin()) return true;
  if (cached_) {
    operation_.result = result_of(perform(operation_, RWF_NOWAIT));
    done_ = operation_.result != -EAGAIN;
  }
  return done_ && !budget_exhausted();
}

bool FileTransfer::await_suspend(coro::AwaitPoint point) noexcept {
  if (done_) {
    yield_at(point);
    return true;
  }
  suspend_at(point, WaitsFor::file);
  operation_.waiter = this;
  sched::Worker& worker = *sched::current()->worker;
  on_ring_ = true;
  if (worker.start(operation_)) return true;
  on_ring_ = false;
  if (worker.scheduler().blocking_pool().submit(*this)) return true;
  operation_.result = -EAGAIN;
  return false;
}

Result<std::size_t> FileTransfer::await_resume() const {
  throw_if_cancelled();
  if (operation_.result < 0) return system_error(-operation_.result);
  return static_cast<std::size_t>(operation_.result);
}

bool FileTransfer::cancel() noexcept {
  if (on_ring_ || !task->scheduler->blocking_pool().withdraw(*this)) return false;
  set_cancelled();
  return true;
}

void FileTransfer::run() noexcept {
  do {
    operation_.result = result_of(perform(operation_, 0));
  } while (operation_.result == -EINTR);
  sched::wake(*task);
}

}  // namespace volt::fs
