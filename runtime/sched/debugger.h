// SPDX-License-Identifier: MIT

// The data with which a debugger finds the tasks of a process or of a core dump: a list of the places that hold tasks,
// and a table of offsets. config/debug/volt-gdb.py reads them. The debug information of a release build has only line
// numbers, no types; the table makes the script independent of it.
//
// Threads: any.
#pragma once

#include <sys/types.h>

#include "runtime/base/atomic.h"

namespace volt::sched {

struct Context;
class TaskList;

// Lists the tasks of a worker, or those of the threads outside. A member of what owns the list of tasks.
class DebuggerEntry {
 public:
  // `context` and `thread` are those of the worker; null for the tasks of the threads outside.
  DebuggerEntry(const TaskList& tasks, const Context* context, const base::Atomic<pid_t>* thread);
  ~DebuggerEntry();
  DebuggerEntry(const DebuggerEntry&) = delete;
  DebuggerEntry& operator=(const DebuggerEntry&) = delete;

 private:
  friend struct DebuggerLayout;

  // Read by the table of offsets, through DebuggerLayout.
  [[maybe_unused]] const TaskList* const tasks_;
  [[maybe_unused]] const Context* const context_;
  [[maybe_unused]] const base::Atomic<pid_t>* const thread_;
  DebuggerEntry* next_ = nullptr;
};

}  // namespace volt::sched
