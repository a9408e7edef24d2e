// SPDX-License-Identifier: MIT

// Availability: whether a store uses its server, or does without it because the server has just failed.
//
// After a failure the server is not asked for a pause; then one caller asks while the others still do without it. So a
// server that hangs delays one request per pause, rather than each. A line is logged when the server is given up, and
// when it answers again.
//
// Threads: any task; the times are those of coarse_now().
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "redis/error.h"
#include "runtime/base/atomic.h"
#include "runtime/concurrent.h"
#include "runtime/task.h"

namespace volt::stores {

class Availability {
 public:
  // `consequence` completes the log line: "rate limits are counted in this process".
  Availability(std::chrono::nanoseconds pause, std::string consequence)
      : pause_ns_(pause.count()), consequence_(std::move(consequence)) {}

  // Whether the caller must ask the server. If so, it calls succeeded() or failed() afterwards, unless it is cancelled.
  [[nodiscard]] bool may_ask() noexcept;
  void succeeded() noexcept;
  void failed(std::string_view reason) noexcept;
  // Counts a call that does without the server.
  void count_fallback() noexcept { fallbacks_.fetch_add(1, base::relaxed); }  // relaxed: a count

  [[nodiscard]] bool available() const noexcept { return ask_at_ns_.load(base::relaxed) == kNow; }  // relaxed: a report
  [[nodiscard]] std::uint64_t fallbacks() const noexcept { return fallbacks_.load(base::relaxed); }  // relaxed: a count

 private:
  static constexpr std::int64_t kNow = INT64_MIN;

  const std::int64_t pause_ns_;
  const std::string consequence_;
  base::Atomic<std::int64_t> ask_at_ns_{kNow};  // kNow: available; otherwise the time of the next attempt
  base::Atomic<std::uint64_t> fallbacks_{0};
};

// Awaits the task that `ask()` returns, which asks the server, for at most `timeout`. Returns nothing if the server is
// not asked, does not answer in time, or fails.
template <class F>
Task<std::optional<sched::CalledValue<F>>> attempt(Availability& availability, std::chrono::nanoseconds timeout,
                                                   F ask) {
  if (availability.may_ask()) {
    std::string failure = "no reply in time";
    try {
      auto answer = co_await within(timeout, std::move(ask));
      if (answer) {
        availability.succeeded();
        co_return std::move(*answer);
      }
    } catch (const redis::Error& error) {
      failure = error.what();
    }
    availability.failed(failure);
  }
  availability.count_fallback();
  co_return std::nullopt;
}

}  // namespace volt::stores
