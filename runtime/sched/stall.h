// SPDX-License-Identifier: MIT

// Stall: a report on a worker that is, or was, in one turn of a task for long (Runtime::on_stall).
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/sched/tasks.h"

namespace volt {

// The cause of a stall: what the worker's thread did for most of the time that is charged to the task.
enum class StallCause : std::uint8_t {
  computing,     // used a processor
  blocked,       // slept in the kernel: a system call, a lock, a page fault
  no_processor,  // nothing is charged to the task: the thread could run, but other threads had the processors, or the
                 // quota of the control group was used up
};

[[nodiscard]] std::string_view to_string(StallCause cause) noexcept;

struct Stall {
  std::uint32_t worker = 0;
  TaskId task = 0;  // has run for the whole time
  StallCause cause = StallCause::computing;
  bool ended = false;  // the turn has ended
  // Time since the watchdog first saw the turn. The turn began up to 10 milliseconds earlier.
  std::chrono::milliseconds lasted{0};
  std::chrono::microseconds processor_time{0};  // the part of `lasted` in which the thread used a processor
  std::chrono::microseconds waited{0};          // the part of `lasted` in which the thread waited for a processor
  std::chrono::steady_clock::time_point since;  // when the watchdog first saw the turn
  std::chrono::steady_clock::time_point until;  // when it last saw the turn
  // The code addresses of the functions that the task was in when it had computed for 50 milliseconds, the innermost
  // first; empty if they were not sampled. Valid until the observer returns.
  std::span<const void* const> stack;

  // Returns the part of `lasted` that the task is to blame for: it computed or was blocked.
  [[nodiscard]] std::chrono::milliseconds charged() const noexcept {
    return lasted - std::chrono::floor<std::chrono::milliseconds>(waited);
  }
};

}  // namespace volt
