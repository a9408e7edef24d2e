// What the tasks of a runtime do at the moment: for reports, and for whoever looks for the one that hangs.
//
// Threads: any. A report is put together while the runtime goes on: each line was true a moment ago.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace volt {

enum class TaskPhase : std::uint8_t { running, queued, waiting };

enum class WaitsFor : std::uint8_t {
  nothing,   // it has not waited yet
  readable,  // a socket, or a connection to accept
  writable,  // a socket
  timer,
  task,          // that it joins
  children,      // of a scope, or of all() or race()
  select,        // the first of what select() was given
  blocking,      // a callable of blocking()
  file,          // a read, a write or a sync
  lock,          // a Mutex, or an RwLock
  permits,       // of a Semaphore
  barrier,       // the others
  cancel,        // of a CancelToken
  notification,  // a Notify
  channel,       // room in it, or a value
  oneshot,       // a value
  broadcast,     // a value
  watch,         // a change
};

[[nodiscard]] std::string_view to_string(TaskPhase phase) noexcept;
[[nodiscard]] std::string_view to_string(WaitsFor what) noexcept;

// Never used twice in a runtime. The children of a task (of a scope, of all() and race()) share its id.
using TaskId = std::uint64_t;

struct TaskInfo {
  TaskId id = 0;
  TaskPhase phase = TaskPhase::waiting;
  WaitsFor waits_for = WaitsFor::nothing;  // if it waits
  bool cancelled = false;                  // and about to unwind
  std::chrono::nanoseconds since{0};       // it waits or runs: its last turn began; queued: it could go on
};

// The tasks that were spawned; their children are what they wait for.
struct TaskReport {
  std::vector<TaskInfo> tasks;
  std::uint64_t live = 0;  // of which `tasks` may be a part
};

// A worker was found in one task for at least `lasted`.
struct Stall {
  std::uint32_t worker = 0;
  TaskId task = 0;
  std::chrono::milliseconds lasted{0};
};

// The calling task's. Only in a task.
[[nodiscard]] TaskId this_task_id() noexcept;

}  // namespace volt
