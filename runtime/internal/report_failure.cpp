// SPDX-License-Identifier: MIT

// The log line about the exception of a detached task.
#include <array>
#include <cstddef>
#include <exception>
#include <new>
#include <source_location>
#include <span>
#include <string>
#include <string_view>

#include "runtime/base/function_name.h"
#include "runtime/exception_text.h"
#include "runtime/internal/runtime_log.h"
#include "runtime/sched/cancel.h"
#include "runtime/sched/scheduler.h"

namespace volt::sched {
namespace {}  // namespace

void report_failure(const TaskHeader& task, const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {  // decided: the end that was asked for
    return;
  } catch (...) {  // decided: any other exception is reported
  }
  const std::source_location detached_at = task.detached_at.load(base::relaxed);  // relaxed: the reference orders it
  // A handle that is destroyed on a foreign thread may have outlived its runtime; one that is detached there has not.
  Scheduler* const here = current_scheduler();
  Scheduler* const scheduler = here != nullptr || detached_at.line() == 0 ? here : task.scheduler;
  const ExceptionText text(error);
  try {
    const std::string place = place_text(detached_at);
    const std::string function = base::function_name(task.code);
    std::array<LogField, 5> fields{LogField{"error", text.message()}, {"type", text.type()}, {"task", task.id}};
    std::size_t count = 3;
    if (!function.empty()) fields[count++] = {"function", function};
    if (!place.empty()) fields[count++] = {"detached_at", place};
    const std::span shown = std::span(fields).first(count);
    constexpr std::string_view kMessage = "a detached task threw an exception";
    scheduler != nullptr ? kRuntimeLog.to(scheduler->log(), LogLevel::error, kMessage, shown)
                         : kRuntimeLog(LogLevel::error, kMessage, shown);
  } catch (const std::bad_alloc&) {  // decided: the exception is still counted
  }
  if (scheduler != nullptr) scheduler->count_detached_failure();
}

}  // namespace volt::sched
