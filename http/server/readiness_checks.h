// SPDX-License-Identifier: MIT

// ReadinessChecks: the conditions of App::ready_when(), which /readyz reports.
//
// A check runs as a task of the monitored server's runtime, because it uses the app's connections. At most one task
// runs it at a time. Those who ask look at intervals whether it has ended, with a deadline of their own, so that stuck
// workers make a check fail rather than hang.
//
// Rejected: a oneshot from the check to the task of the ops server that asks. The ops server's runtime may end before
// the monitored one, whose worker might then still be waking that task.
//
// Threads: any, unless a function says otherwise. Lifetime: a ReadinessCheck is shared by the server and the task that
// runs it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http/server/app.h"
#include "runtime/runtime.h"
#include "runtime/task.h"

namespace volt::http::server {

class ReadinessCheck {
 public:
  using Function = std::move_only_function<Task<bool>()>;

  ReadinessCheck(std::string name, Function function, ReadyOptions options)
      : name_(std::move(name)), function_(std::move(function)), options_(options) {}
  ReadinessCheck(const ReadinessCheck&) = delete;
  ReadinessCheck& operator=(const ReadinessCheck&) = delete;

  // Starts a task of `runtime` that runs the check, or finds its last result recent enough. Does nothing while such a
  // task runs. Must not be called by a worker: the memory of the task would belong to the caller's runtime.
  static void start(const std::shared_ptr<ReadinessCheck>& check, Runtime& runtime);

  // Returns why the check failed, or an empty text if it passed; none while it runs, and before it is started.
  [[nodiscard]] std::optional<std::string> result() const;
  // As result(), but while the check runs, and after that, the result before.
  [[nodiscard]] std::optional<std::string> last_result() const;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::chrono::milliseconds timeout() const noexcept { return options_.timeout; }
  // Returns the reason of a check that has not ended in time.
  [[nodiscard]] std::string too_slow() const;

 private:
  // `stopped`: the result if the runtime stops first. The caller allocates it, because the end must not.
  [[nodiscard]] static Task<> run(std::shared_ptr<ReadinessCheck> check, std::string stopped);
  [[nodiscard]] Task<std::string> call();
  // Ends the task's work if the last result is recent enough, and returns true then.
  [[nodiscard]] bool end_if_recent();
  void end(std::string result, std::chrono::nanoseconds now) noexcept;

  const std::string name_;
  Function function_;
  const ReadyOptions options_;
  mutable std::mutex mutex_;
  bool running_ = false;                  // under mutex_
  std::chrono::nanoseconds ended_at_{0};  // under mutex_: by the clock of the runtime that runs the check
  std::optional<std::string> last_;       // under mutex_
};

using ReadinessChecks = std::vector<std::shared_ptr<ReadinessCheck>>;

struct ReadinessFailure {
  std::string check;
  std::string reason;
};

// Starts all checks, which then run concurrently. Must not be called by a worker.
void start_checks(const ReadinessChecks& checks, Runtime& runtime);
// Returns the checks that fail, in the order in which they were added, if `waited` is the time since they were started;
// none if some of them run and still have time.
[[nodiscard]] std::optional<std::vector<ReadinessFailure>> failures_after(const ReadinessChecks& checks,
                                                                          std::chrono::nanoseconds waited);
// Runs the checks as tasks of `runtime` and returns those that fail. Must be awaited in a task, of any runtime.
[[nodiscard]] Task<std::vector<ReadinessFailure>> failing_checks(const ReadinessChecks& checks, Runtime& runtime);

}  // namespace volt::http::server
