// SPDX-License-Identifier: MIT

#include "runtime/sched/tasks.h"

#include <utility>

#include "runtime/base/check.h"
#include "runtime/sched/current.h"
#include "runtime/sched/stall.h"
#include "runtime/sched/task_header.h"

namespace volt {

std::string_view to_string(TaskPhase phase) noexcept {
  switch (phase) {
    case TaskPhase::running:
      return "running";
    case TaskPhase::queued:
      return "queued";
    case TaskPhase::waiting:
      return "waiting";
  }
  std::unreachable();
}

std::string_view to_string(WaitsFor what) noexcept {
  switch (what) {
    case WaitsFor::nothing:
      return "nothing";
    case WaitsFor::readable:
      return "readable";
    case WaitsFor::writable:
      return "writable";
    case WaitsFor::timer:
      return "timer";
    case WaitsFor::task:
      return "task";
    case WaitsFor::children:
      return "children";
    case WaitsFor::select:
      return "select";
    case WaitsFor::blocking:
      return "blocking";
    case WaitsFor::file:
      return "file";
    case WaitsFor::lock:
      return "lock";
    case WaitsFor::permits:
      return "permits";
    case WaitsFor::barrier:
      return "barrier";
    case WaitsFor::cancel:
      return "cancel";
    case WaitsFor::notification:
      return "notification";
    case WaitsFor::channel:
      return "channel";
    case WaitsFor::oneshot:
      return "oneshot";
    case WaitsFor::broadcast:
      return "broadcast";
    case WaitsFor::watch:
      return "watch";
  }
  std::unreachable();
}

std::string_view to_string(StallCause cause) noexcept {
  switch (cause) {
    case StallCause::computing:
      return "computing";
    case StallCause::blocked:
      return "blocked";
    case StallCause::no_processor:
      return "no processor";
  }
  std::unreachable();
}

TaskId this_task_id() noexcept {
  const sched::Context* context = sched::current();
  VOLT_REQUIRE(context != nullptr && context->task != nullptr,
               "this_task_id() was called outside a task: call it in a coroutine that spawn() or block_on() runs");
  return context->task->id;
}

}  // namespace volt
