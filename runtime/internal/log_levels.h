// SPDX-License-Identifier: MIT

// Log::Levels: the level of each module's lines.
//
// The lowest of all levels is kept apart, so a line that no module writes costs one load; most lines of level debug are
// such lines. The others take a lock for reading; their text is then copied under the lock of the log's buffer anyway.
//
// Threads: any.
#pragma once

#include <expected>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/base/atomic.h"
#include "runtime/log.h"

namespace volt {

class Log::Levels {
 public:
  explicit Levels(LogLevel rest) noexcept : rest_(rest), lowest_(rest) {}

  [[nodiscard]] bool takes(LogLevel level, std::string_view module) const noexcept;
  // Log::set_levels() and Log::levels()
  [[nodiscard]] std::expected<void, std::string> set(std::string_view text);
  [[nodiscard]] std::string text() const;

 private:
  struct Module {
    std::string name;
    LogLevel level;
  };
  struct Parsed;

  mutable std::shared_mutex mutex_;
  LogLevel rest_;  // of the modules that are not in modules_; guarded by mutex_, as modules_ is
  std::vector<Module> modules_;
  base::Atomic<LogLevel> lowest_;
};

}  // namespace volt
