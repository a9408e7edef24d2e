// FileOperation: one read, write or sync of a file, by the reactor of the worker that starts it (Reactor::start).
//
// Threads: the worker's that starts it; whoever collects its completion writes `result`, then its waiter is woken.
// Lifetime: in the frame of the awaiting task. It, and its buffer, stay put until it has completed: the kernel has
// them. A read of a file cannot be called back, so cancelling the task means waiting for that.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/io/completion.h"

namespace volt::io {

struct FileOperation {
  enum class Kind : std::uint8_t { read, write, append, sync, sync_data };

  Kind kind = Kind::read;
  int fd = -1;
  void* buffer = nullptr;  // a write only reads it
  std::size_t size_bytes = 0;
  std::uint64_t offset = 0;
  Completion* waiter = nullptr;
  std::int32_t result = 0;  // bytes, or -errno
};

}  // namespace volt::io
