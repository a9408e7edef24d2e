// SPDX-License-Identifier: MIT

// The await chain of a task: the coroutine in which the task is suspended, the one that awaits it, and so on to the
// coroutine with which the task began.
//
// A chain may be followed only while no thread resumes the task. So the reader claims the task (TaskState), as a thread
// that cancels it does, for as long as it takes to copy some addresses. A wake or a cancel that comes during the claim
// is noted in the task's state, and end_inspection() acts on it. Names are looked up later.
//
// Rejected: stopping the workers (every request would wait), and reading the frames of tasks that may run (no order of
// the reads is safe once a frame is freed).
#pragma once

#include <cstddef>
#include <source_location>
#include <span>

namespace volt::sched {

struct TaskHeader;

// A coroutine of a chain.
struct AwaitLink {
  const void* code = nullptr;  // the function that resumes it
  std::source_location at;     // the co_await that it is suspended in; line() is 0 if that is unknown
};

// A chain that is longer is cut off: each link is read while the task is claimed.
inline constexpr std::size_t kAwaitLinksMax = 32;

// Writes the innermost links of the task's chain, the innermost first, and returns their number; 0 if the task is
// queued, running or done. The chain ends at a coroutine that is not one of the runtime's types. The caller must hold a
// reference to the task. Any thread may call this.
[[nodiscard]] std::size_t read_await_chain(TaskHeader& task, std::span<AwaitLink> links) noexcept;

}  // namespace volt::sched
