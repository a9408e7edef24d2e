// SPDX-License-Identifier: MIT

// Completion: the reactor's report that an event which a task waited for has occurred. It lives in the frame of the
// awaiting task and travels in a chain from the reactor to the worker, which wakes `task`. No scheduler or user code
// runs inside the reactor.
#pragma once

namespace volt::sched {
struct TaskHeader;
}

namespace volt::io {

struct Completion {
  Completion* queue_next = nullptr;
  sched::TaskHeader* task = nullptr;  // opaque in this module; set when the task starts to wait
  bool is_hangup = false;             // true for an io::HangupNotice: the task is to be cancelled, not woken
};

}  // namespace volt::io
