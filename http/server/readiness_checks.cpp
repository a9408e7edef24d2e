// SPDX-License-Identifier: MIT

#include "http/server/readiness_checks.h"

#include <new>
#include <utility>

#include "runtime/cancel.h"
#include "runtime/concurrent.h"
#include "runtime/exception_text.h"
#include "runtime/log.h"
#include "runtime/per_worker.h"
#include "runtime/scope.h"
#include "runtime/select.h"
#include "runtime/time.h"

namespace volt::http::server {
namespace {

// A check has ended after its timeout, unless no worker runs its task. Those who wait for it wait for so much longer.
constexpr auto kStuckAfter = std::chrono::milliseconds(100);

}  // namespace

std::optional<std::string> ReadinessCheck::last_result() const {
  const std::scoped_lock lock(mutex_);
  return last_;
}

std::string ReadinessCheck::too_slow() const {
  return "no result within " + std::to_string(options_.timeout.count()) + " ms";
}

std::optional<std::string> ReadinessCheck::recent_or_wait(std::optional<Receiver>& wanted, bool& starts) {
  const std::chrono::nanoseconds now = coarse_now();
  const std::scoped_lock lock(mutex_);
  if (!running_ && last_ && now - ended_at_ < options_.cache) return last_;
  if (running_ && now - started_at_ > options_.timeout) return too_slow();  // it does not even end when it is cancelled
  auto [sender, receiver] = oneshot<std::string>();
  waiting_.push_back(std::move(sender));
  wanted.emplace(std::move(receiver));
  starts = !std::exchange(running_, true);
  if (starts) started_at_ = now;
  return std::nullopt;
}

Task<std::string> ReadinessCheck::result(std::shared_ptr<ReadinessCheck> check, Runtime& runtime) {
  std::optional<Receiver> receiver;
  bool starts = false;
  std::optional<std::string> recent = check->recent_or_wait(receiver, starts);
  if (recent) co_return *std::move(recent);
  if (starts) {
    try {
      runtime.spawn(run, check).detach();
    } catch (const std::bad_alloc&) {  // decided: this attempt has failed, a later one may succeed
      check->end("no memory for the check");
    }
  }
  auto chosen = co_await select(receiver->receive(), sleep_for(check->options_.timeout + kStuckAfter));
  if (chosen.index() == 1) co_return check->too_slow();
  std::optional<std::string> result = std::get<0>(std::move(chosen));
  if (!result) co_return "the server is stopping";
  co_return *std::move(result);
}

Task<> ReadinessCheck::run(std::shared_ptr<ReadinessCheck> check) {
  struct Ending {
    ReadinessCheck& check;
    std::string result = "the server is stopping";
    ~Ending() { check.end(std::move(result)); }
  } ending{*check};
  ending.result = co_await check->call();
}

Task<std::string> ReadinessCheck::call() {
  try {
    const Result<bool> passes = co_await within(options_.timeout, [this] { return function_(); });
    if (!passes) co_return too_slow();
    co_return *passes ? std::string() : std::string("the check returned false");
  } catch (const Cancelled&) {  // decided: the runtime stops
    throw;
  } catch (...) {  // decided: the condition is not met; the exception says why
    const ExceptionText text(std::current_exception());
    co_return text.message().empty() ? std::string(text.type()) : std::string(text.message());
  }
}

void ReadinessCheck::end(std::string result) {
  std::vector<OneshotSender<std::string>> waiting;
  std::optional<std::string> before;
  {
    const std::scoped_lock lock(mutex_);
    running_ = false;
    ended_at_ = coarse_now();
    before = std::exchange(last_, result);
    waiting.swap(waiting_);
  }
  const bool passed_before = before.value_or("").empty();
  if (!result.empty() && passed_before) {
    log(LogLevel::warning, "a readiness check fails", {{"check", name_}, {"reason", result}});
  } else if (result.empty() && !passed_before) {
    log(LogLevel::info, "a readiness check passes again", {{"check", name_}});
  }
  for (auto& sender : waiting) std::move(sender).send(result);
}

namespace {

Task<> put_result(std::shared_ptr<ReadinessCheck> check, Borrowed<Runtime> runtime, Borrowed<std::string> into) {
  *into = co_await ReadinessCheck::result(std::move(check), *runtime);
}

}  // namespace

Task<std::vector<ReadinessFailure>> failing_checks(const ReadinessChecks& checks, Runtime& runtime) {
  std::vector<std::string> results(checks.size());
  co_await with_scope([&](Scope& scope) -> Task<> {
    for (std::size_t i = 0; i != checks.size(); ++i) {
      scope.spawn(put_result, checks[i], borrow(runtime), borrow(results[i]));
    }
    co_return;
  });
  std::vector<ReadinessFailure> failures;
  for (std::size_t i = 0; i != checks.size(); ++i) {
    if (!results[i].empty()) failures.push_back({checks[i]->name(), std::move(results[i])});
  }
  co_return failures;
}

Task<std::vector<std::string>> names_of_failing_checks(Borrowed<const ReadinessChecks> checks,
                                                       Borrowed<Runtime> runtime) {
  std::vector<ReadinessFailure> failures = co_await failing_checks(*checks, *runtime);
  std::vector<std::string> names;
  for (ReadinessFailure& failure : failures) names.push_back(std::move(failure.check));
  co_return names;
}

}  // namespace volt::http::server
