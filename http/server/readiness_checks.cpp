// SPDX-License-Identifier: MIT

#include "http/server/readiness_checks.h"

#include <algorithm>
#include <exception>
#include <new>

#include "runtime/blocking.h"
#include "runtime/cancel.h"
#include "runtime/concurrent.h"
#include "runtime/exception_text.h"
#include "runtime/log.h"
#include "runtime/per_worker.h"
#include "runtime/time.h"

namespace volt::http::server {
namespace {

// A check has ended after its timeout, unless no worker runs its task. Those who ask wait for so much longer.
constexpr auto kStuckAfter = std::chrono::milliseconds(100);
constexpr auto kFirstLook = std::chrono::microseconds(500);
constexpr auto kBetweenLooksMax = std::chrono::milliseconds(20);

}  // namespace

std::optional<std::string> ReadinessCheck::result() const {
  const std::scoped_lock lock(mutex_);
  return running_ ? std::nullopt : last_;
}

std::optional<std::string> ReadinessCheck::last_result() const {
  const std::scoped_lock lock(mutex_);
  return last_;
}

std::string ReadinessCheck::too_slow() const {
  return "no result within " + std::to_string(options_.timeout.count()) + " ms";
}

void ReadinessCheck::start(const std::shared_ptr<ReadinessCheck>& check, Runtime& runtime) {
  {
    const std::scoped_lock lock(check->mutex_);
    if (std::exchange(check->running_, true)) return;
  }
  try {
    runtime.spawn(run, check, std::string("the server is stopping")).detach();
  } catch (const std::bad_alloc&) {  // decided: this attempt has failed, a later one may succeed
    const std::scoped_lock lock(check->mutex_);
    check->running_ = false;
    check->last_ = "no memory for the check";
  }
}

bool ReadinessCheck::end_if_recent() {
  const std::chrono::nanoseconds now = coarse_now();
  const std::scoped_lock lock(mutex_);
  const bool recent = last_ && now - ended_at_ < options_.cache;
  if (recent) running_ = false;
  return recent;
}

Task<> ReadinessCheck::run(std::shared_ptr<ReadinessCheck> check, std::string stopped) {
  if (check->end_if_recent()) co_return;
  struct Ending {
    ReadinessCheck& check;
    std::string result;
    ~Ending() { check.end(std::move(result), coarse_now()); }
  } ending{*check, std::move(stopped)};
  ending.result = co_await check->call();
}

Task<std::string> ReadinessCheck::call() {
  try {
    const Result<bool> passes = co_await within(options_.timeout, [this] { return function_(); });
    if (!passes) co_return too_slow();
    co_return std::string(*passes ? "" : "the check returned false");
  } catch (const Cancelled&) {  // decided: the runtime stops
    throw;
  } catch (...) {  // decided: the condition is not met; the exception says why
    const ExceptionText text(std::current_exception());
    co_return std::string(text.message().empty() ? text.type() : text.message());
  }
}

void ReadinessCheck::end(std::string result, std::chrono::nanoseconds now) noexcept {
  bool failed_before = false;
  {
    const std::scoped_lock lock(mutex_);
    failed_before = last_ && !last_->empty();
  }
  // Before the result is moved away. While this check runs, no other task changes last_.
  if (!result.empty() && !failed_before) {
    log(LogLevel::warning, "a readiness check fails", {{"check", name_}, {"reason", result}});
  } else if (result.empty() && failed_before) {
    log(LogLevel::info, "a readiness check passes again", {{"check", name_}});
  }
  const std::scoped_lock lock(mutex_);
  running_ = false;
  ended_at_ = now;
  last_ = std::move(result);
}

void start_checks(const ReadinessChecks& checks, Runtime& runtime) {
  for (const auto& check : checks) ReadinessCheck::start(check, runtime);
}

std::optional<std::vector<ReadinessFailure>> failures_after(const ReadinessChecks& checks,
                                                            std::chrono::nanoseconds waited) {
  std::vector<ReadinessFailure> failures;
  for (const auto& check : checks) {
    std::optional<std::string> result = check->result();
    if (!result && waited < check->timeout() + kStuckAfter) return std::nullopt;
    if (!result) result = check->too_slow();
    if (!result->empty()) failures.push_back({check->name(), *std::move(result)});
  }
  return failures;
}

Task<std::vector<ReadinessFailure>> failing_checks(const ReadinessChecks& checks, Runtime& runtime) {
  if (checks.empty()) co_return std::vector<ReadinessFailure>();
  const auto began = std::chrono::steady_clock::now();
  co_await blocking([&] { start_checks(checks, runtime); });
  std::chrono::nanoseconds until_next_look = kFirstLook;
  for (;;) {
    auto failures = failures_after(checks, std::chrono::steady_clock::now() - began);
    if (failures) co_return *std::move(failures);
    co_await sleep_for(until_next_look);
    until_next_look = std::min<std::chrono::nanoseconds>(2 * until_next_look, kBetweenLooksMax);
  }
}

}  // namespace volt::http::server
