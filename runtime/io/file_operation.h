// SPDX-License-Identifier: MIT

// FileOperation: one read, write or sync of a file, performed by the reactor of the worker that starts it
// (Reactor::start).
//
// Threads: the operation belongs to the thread of the worker that starts it. The thread that collects the completion
// writes `result`, and then the waiter is woken.
// Lifetime: in the frame of the awaiting task. The operation and its buffer must not move until the operation has
// completed, because the kernel uses them. A read of a file cannot be cancelled, so cancelling the task means waiting
// for the completion.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/io/completion.h"

namespace volt::io {

struct FileOperation {
  enum class Kind : std::uint8_t { read, write, append, sync, sync_data };

  Kind kind = Kind::read;
  int fd = -1;
  void* buffer = nullptr;  // a write only reads the buffer
  std::size_t size_bytes = 0;
  std::uint64_t offset = 0;
  Completion* waiter = nullptr;
  std::int32_t result = 0;  // number of bytes, or -errno
};

}  // namespace volt::io
