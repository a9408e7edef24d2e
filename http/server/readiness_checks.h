// SPDX-License-Identifier: MIT

// ReadinessChecks: the conditions of App::ready_when(), which /readyz reports.
//
// A check runs as a task of the monitored server's runtime, because it uses the app's connections. Those who ask wait
// for its result with a deadline of their own, so that stuck workers make a check fail rather than hang. A check runs
// at most once at a time: all who ask while it runs get its result.
//
// Threads: any. Lifetime: a ReadinessCheck is shared by the server and the task that runs it.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "http/server/app.h"
#include "runtime/borrowed.h"
#include "runtime/oneshot.h"
#include "runtime/runtime.h"
#include "runtime/task.h"

namespace volt::http::server {

struct ReadinessFailure {
  std::string check;
  std::string reason;
};

class ReadinessCheck {
 public:
  using Function = std::move_only_function<Task<bool>()>;

  ReadinessCheck(std::string name, Function function, ReadyOptions options)
      : name_(std::move(name)), function_(std::move(function)), options_(options) {}
  ReadinessCheck(const ReadinessCheck&) = delete;
  ReadinessCheck& operator=(const ReadinessCheck&) = delete;

  // Returns why the check fails, or an empty text if it passes. Runs it as a task of `runtime`, unless a result is
  // recent enough. Must be awaited in a task, of any runtime.
  [[nodiscard]] static Task<std::string> result(std::shared_ptr<ReadinessCheck> check, Runtime& runtime);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  // Returns the last result; none if the check has not ended yet.
  [[nodiscard]] std::optional<std::string> last_result() const;

 private:
  using Receiver = OneshotReceiver<std::string>;

  [[nodiscard]] static Task<> run(std::shared_ptr<ReadinessCheck> check);
  [[nodiscard]] Task<std::string> call();
  [[nodiscard]] std::string too_slow() const;
  void end(std::string result);
  // Returns the result if it is recent enough; else makes `wanted` a receiver of the next one, and `starts` true if the
  // caller must start the check.
  [[nodiscard]] std::optional<std::string> recent_or_wait(std::optional<Receiver>& wanted, bool& starts);

  const std::string name_;
  Function function_;
  const ReadyOptions options_;
  mutable std::mutex mutex_;
  bool running_ = false;                             // under mutex_
  std::chrono::nanoseconds started_at_{0};           // under mutex_
  std::chrono::nanoseconds ended_at_{0};             // under mutex_
  std::optional<std::string> last_;                  // under mutex_
  std::vector<OneshotSender<std::string>> waiting_;  // under mutex_
};

using ReadinessChecks = std::vector<std::shared_ptr<ReadinessCheck>>;

// Returns the checks that fail, in the order in which they were added. They run concurrently.
[[nodiscard]] Task<std::vector<ReadinessFailure>> failing_checks(const ReadinessChecks& checks, Runtime& runtime);
[[nodiscard]] Task<std::vector<std::string>> names_of_failing_checks(Borrowed<const ReadinessChecks> checks,
                                                                     Borrowed<Runtime> runtime);

}  // namespace volt::http::server
