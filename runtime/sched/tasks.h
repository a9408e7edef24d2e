// SPDX-License-Identifier: MIT

// Reports on the current tasks of a runtime, for example to find a task that hangs.
//
// Threads: any. A report is assembled while the runtime runs: each entry was true a moment ago.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace volt {

enum class TaskPhase : std::uint8_t { running, queued, waiting };

enum class WaitsFor : std::uint8_t {
  nothing,   // it has not waited yet
  readable,  // a socket with data, or a connection to accept
  writable,  // a socket with room to send
  timer,
  task,          // a task that it joins
  children,      // the children of a scope, of all() or of race()
  select,        // the first branch of a select()
  blocking,      // a callable of blocking()
  file,          // a read, a write or a sync of a file
  lock,          // a Mutex or an RwLock
  permits,       // permits of a Semaphore
  barrier,       // the other tasks at a Barrier
  cancel,        // the cancellation of a CancelToken
  notification,  // a Notify
  channel,       // a value in a channel, or room for one
  oneshot,       // the value of a oneshot
  broadcast,     // a value of a broadcast
  watch,         // a change of a watched value
};

[[nodiscard]] std::string_view to_string(TaskPhase phase) noexcept;
[[nodiscard]] std::string_view to_string(WaitsFor what) noexcept;

// Unique within a runtime. The children of a task (of a scope, of all() and race()) share the id of that task.
using TaskId = std::uint64_t;

// A coroutine of a task, suspended in a co_await.
struct AwaitInfo {
  std::string function;  // empty if it is unknown
  std::string at;        // the place of the co_await, as "main.cpp:40"; empty if it is unknown
};

struct TaskInfo {
  TaskId id = 0;
  TaskPhase phase = TaskPhase::waiting;
  WaitsFor waits_for = WaitsFor::nothing;  // valid if it is waiting
  bool cancelled = false;                  // cancelled, and about to unwind
  std::chrono::nanoseconds since{0};       // time since its last turn began; if it is queued, since it became runnable
  std::string function;                    // its coroutine function; empty if the program was stripped
  std::string detached_at;  // where JoinHandle::detach() or App::background() was called, as "main.cpp:40", or empty
  std::vector<AwaitInfo> awaits;  // from the coroutine in which it waits to `function` (Runtime::tasks_with_awaits)
};

// The spawned tasks, without their children.
struct TaskReport {
  std::vector<TaskInfo> tasks;
  std::uint64_t live = 0;  // number of live tasks; `tasks` may contain only a part of them
};

// Returns the id of the calling task. Must be called in a task.
[[nodiscard]] TaskId this_task_id() noexcept;

}  // namespace volt
