// SPDX-License-Identifier: MIT

// The state of a thread of this process: its processor time, and whether it was preempted or sleeps in the kernel.
//
// Threads: any. `thread` is the kernel's id of a thread of this process. It may have ended.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace volt::sched {

// The activity of a thread that is stuck in a task.
enum class Activity : std::uint8_t {
  unknown,
  computes,
  blocked,  // sleeps in the kernel
};

// Returns the processor time that the thread has used, in nanoseconds; -1 if there is no such thread. Costs a system
// call.
[[nodiscard]] std::int64_t processor_time_ns(pid_t thread) noexcept;

// The use of processors by the calling thread since its start. Two reads show what the thread did between them: whether
// it computed, was blocked, or was only preempted.
struct ThreadUse {
  std::int64_t processor_time_ns = 0;
  std::int64_t preemptions = 0;
  std::int64_t sleeps = 0;  // how often it gave up its processor in order to wait
};
// Costs two system calls.
[[nodiscard]] ThreadUse thread_use() noexcept;

// Returns whether the thread sleeps in the kernel: it neither runs nor waits for a processor. Reads /proc, which costs
// several microseconds. Without /proc, returns false.
[[nodiscard]] bool sleeps_in_kernel(pid_t thread) noexcept;

}  // namespace volt::sched
