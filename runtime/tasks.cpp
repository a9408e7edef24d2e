#include "runtime/tasks.h"

#include <utility>

#include "runtime/base/check.h"
#include "runtime/sched/current.h"
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
    case WaitsFor::blocking:
      return "blocking";
    case WaitsFor::lock:
      return "lock";
    case WaitsFor::notification:
      return "notification";
    case WaitsFor::channel:
      return "channel";
    case WaitsFor::broadcast:
      return "broadcast";
  }
  std::unreachable();
}

TaskId this_task_id() noexcept {
  const sched::Context* context = sched::current();
  VOLT_CHECK(context != nullptr && context->task != nullptr);
  return context->task->id;
}

}  // namespace volt
