// SPDX-License-Identifier: MIT

#include "http/server/internal/steps.h"

#include <chrono>
#include <exception>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/exception_text.h"
#include "runtime/log.h"

namespace volt::http::server {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(2);

std::string text_of(const std::source_location& where) {
  std::string_view file = where.file_name();
  file.remove_prefix(file.rfind('/') + 1);
  return std::string(file).append(":").append(std::to_string(where.line()));
}

std::string text_of(std::exception_ptr error) {
  const ExceptionText text(std::move(error));
  return std::string(text.message().empty() ? text.type() : text.message());
}

// Runs the step's coroutine for at most its limit. Returns why it failed; empty if it did not.
Task<std::string> run_step(Borrowed<AppHooks::Step> step) {
  const std::chrono::milliseconds limit = step->limit;
  try {
    if (limit == std::chrono::milliseconds::max()) {
      co_await step->function();
      co_return "";
    }
    const Result<void> ended = co_await within(limit, [&] { return step->function(); });
    if (ended) co_return "";
    co_return "cancelled, because it took longer than " + std::to_string(limit.count()) + " ms";
  } catch (const Cancelled&) {
    throw;
  } catch (...) {  // decided: the caller reports it
    co_return text_of(std::current_exception());
  }
}

struct Outcome {
  bool cancelled = false;
  std::string failure;
};

Outcome run(Runtime& runtime, AppHooks::Step& step, const std::function<bool()>& proceed) {
  JoinHandle<std::string> task = runtime.spawn(run_step, borrow(step));
  bool cancelled = false;
  while (!task.done()) {
    if (!cancelled && proceed && !proceed()) {
      cancelled = true;
      task.cancel();
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  try {
    return {cancelled, task.task().take()};
  } catch (const Cancelled&) {  // decided: as for a step that ends in spite of it, or a failure
    return {cancelled, cancelled ? "cancelled" : "awaited a task that was cancelled"};
  }
}

}  // namespace

bool run_before_listen(Runtime& runtime, const std::shared_ptr<AppHooks>& hooks, const std::function<bool()>& proceed) {
  for (AppHooks::Step& step : hooks->before_listen) {
    const Outcome outcome = run(runtime, step, proceed);
    if (outcome.cancelled) return false;
    if (outcome.failure.empty()) continue;
    throw std::runtime_error("before_listen (" + text_of(step.where) + "): " + outcome.failure);
  }
  return true;
}

bool run_after_drain(Runtime& runtime, const std::shared_ptr<AppHooks>& hooks, const std::function<bool()>& proceed) {
  bool all_succeeded = true;
  for (AppHooks::Step& step : hooks->after_drain | std::views::reverse) {
    const Outcome outcome = run(runtime, step, proceed);
    if (outcome.failure.empty() && !outcome.cancelled) continue;
    all_succeeded = false;
    runtime.log().write(LogLevel::error, "a step of after_drain failed",
                        {{"place", text_of(step.where)}, {"reason", outcome.failure}});
    if (outcome.cancelled) break;
  }
  return all_succeeded;
}

}  // namespace volt::http::server
