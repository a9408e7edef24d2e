// SPDX-License-Identifier: MIT

#include "runtime/sched/await_chain.h"

#include "runtime/coro/promise.h"
#include "runtime/sched/task_header.h"

namespace volt::sched {

std::size_t read_await_chain(TaskHeader& task, std::span<AwaitLink> links) noexcept {
  if (!task.state.try_claim()) return 0;
  std::size_t count = 0;
  coro::AwaitPoint point = task.resume_point;
  while (count != links.size() && point.frame) {
    links[count++] = {.code = WorkClass::code_of(point.frame), .at = point.at};
    if (point.frame == task.root || point.at.line() == 0) break;
    point = coro::Awaited::awaiter_of(point.frame);
  }
  end_inspection(task);
  return count;
}

}  // namespace volt::sched
