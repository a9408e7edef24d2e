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

// Returns the clock that counts the processor time of the thread (clock_gettime(2)).
[[nodiscard]] clockid_t processor_clock(pid_t thread) noexcept;

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

// Returns the time for which the thread was ready to run, but waited for a processor, since its start: other threads
// had the processors, or the quota of its control group was used up. A wait is added when it ends. Returns -1 if there
// is no such thread, or if the kernel does not count it. Reads /proc, which costs several microseconds.
[[nodiscard]] std::int64_t run_delay_ns(pid_t thread) noexcept;

struct ThreadWaits {
  bool sleeps = false;             // it sleeps in the kernel: it neither runs nor waits for a processor
  std::int64_t run_delay_ns = -1;  // as run_delay_ns()
};
// Reads /proc, which costs several microseconds. Without /proc, `sleeps` is false.
[[nodiscard]] ThreadWaits thread_waits(pid_t thread) noexcept;

// Tells whether one thread sleeps in the kernel. It keeps the file in /proc open, so that an answer costs one system
// call.
class SleepProbe {
 public:
  SleepProbe() = default;
  ~SleepProbe();
  SleepProbe(const SleepProbe&) = delete;
  SleepProbe& operator=(const SleepProbe&) = delete;

  // Must be called once, and before other threads call sleeps().
  void open(pid_t thread) noexcept;
  // Without /proc, and if the file could not be opened, false.
  [[nodiscard]] bool sleeps() const noexcept;

 private:
  int file_ = -1;
};

}  // namespace volt::sched
