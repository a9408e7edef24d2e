// SPDX-License-Identifier: MIT

// RecentErrors: the last lines of level error of a Log, for a page that shows them (http/ops/ops.h).
//
// Threads: any. Lifetime: in the Log.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/log.h"

namespace volt {

struct LoggedError {
  std::chrono::sys_time<std::chrono::milliseconds> time;
  std::string module;      // "app" for lines of log()
  std::string text;        // message and fields in LogFormat::text, without the field `path`; truncated
  std::string pattern;     // the field of that name: the route of the request; empty: none
  std::string request_id;  // as above
};

class RecentErrors {
 public:
  static constexpr std::size_t kKept = 20;
  static constexpr std::size_t kTextBytesMax = 512;

  // Without memory the line is not kept.
  void add(const LogEntry& entry, std::string_view module) noexcept;
  // Returns the lines, the newest first.
  [[nodiscard]] std::vector<LoggedError> list() const;

 private:
  mutable std::mutex mutex_;
  std::deque<LoggedError> errors_;  // under mutex_; the oldest first
};

}  // namespace volt
