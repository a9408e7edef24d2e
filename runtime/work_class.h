// SPDX-License-Identifier: MIT

// WorkClass: tells the scheduler what kind of work a task does, so that short work does not wait for long work, and
// accepting connections waits for neither (runtime/sched/work_class.h). A spawned task has the class of its coroutine
// function. A task that serves requests of several kinds changes its class for each of them; from then on, new tasks of
// the same function begin as light ones:
//
//   if (begin_work(route.work_class)) co_await yield();   // other tasks run first
//   respond();
//   end_work();
//
// Threads: all functions must be called in a task.
#pragma once

#include <chrono>
#include <cstdint>

#include "runtime/sched/work_class.h"

namespace volt {

using sched::WorkClass;

// Sets the class of the calling task's work. Returns true if the task should yield() before it begins: the work is
// heavy, and other work waits. The task then continues after the light tasks, and after the heavy ones that came first.
[[nodiscard]] bool begin_work(WorkClass work_class) noexcept;

// Ends the work: until the next begin_work() the calling task is light.
void end_work() noexcept;

// Returns how long the first heavy task in the queue has waited; 0 if none waits.
[[nodiscard]] std::chrono::nanoseconds heavy_queue_delay() noexcept;

// Returns for how long the calling task's work may have to wait for a worker without an overload: about as long as the
// longest of the last turns of its class, or as the longest computation of any task, has lasted.
[[nodiscard]] std::chrono::nanoseconds longest_heavy_turn() noexcept;

// Adds `waited` to Turn::queued_for of the calling task's turn (runtime/per_worker.h): the time that the work of this
// turn has spent in a queue that the scheduler does not see, such as a queue of the kernel.
void add_to_queued_time(std::chrono::nanoseconds waited) noexcept;

// Returns when the calling task's work was queued: when the event that woke it was collected, less what was added by
// add_to_queued_time(). With a manual clock: the present time less Turn::queued_for.
[[nodiscard]] std::chrono::steady_clock::time_point queued_since() noexcept;

// Counts `count` operations of the calling task's turn, as that many awaits do: once the turn has used up its budget
// (runtime/sched/budget.h), its next await lets other tasks run. For a task that does much work between two awaits.
void count_operations(std::uint32_t count) noexcept;

}  // namespace volt
