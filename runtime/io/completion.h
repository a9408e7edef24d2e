// Completion: how the reactor says that something a task waited for has happened. It lives in the frame of the awaiting
// task and travels in a chain from the reactor to the worker, which wakes `task`: no code of ours or the user's runs
// inside the reactor.
#pragma once

namespace volt::sched {
struct TaskHeader;
}

namespace volt::io {

struct Completion {
  Completion* queue_next = nullptr;
  sched::TaskHeader* task = nullptr;  // opaque here; set when the task starts to wait
  bool is_hangup = false;             // an io::HangupNotice: the task is to be cancelled, not woken
};

}  // namespace volt::io
