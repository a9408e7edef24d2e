// SPDX-License-Identifier: MIT

// Logger: writes the log lines of one module, whose level can be set apart from the others.
//
//   constexpr Logger log("orders");
//   log(LogLevel::debug, "order placed", {{"id", id}});     // written with log.levels = "orders=debug"
//
//   2026-11-20T17:08:22.123Z debug order placed id=17 module=orders request_id=...
//
// Threads: a value. Lifetime: the name must outlive the Logger; write it as a literal.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "runtime/log.h"

namespace volt {

class Logger {
 public:
  // `module`: letters, digits, '_', '-' and '.', so that log.levels can contain it.
  explicit constexpr Logger(std::string_view module) noexcept : module_(module) {}

  // Writes a line to the log of the calling task's runtime, as volt::log() does.
  void operator()(LogLevel level, std::string_view message, std::span<const LogField> fields) const noexcept;
  void operator()(LogLevel level, std::string_view message,
                  std::initializer_list<LogField> fields = {}) const noexcept {
    (*this)(level, message, std::span(fields.begin(), fields.size()));
  }
  // Writes a line to `log`.
  void to(Log& log, LogLevel level, std::string_view message, std::span<const LogField> fields) const noexcept {
    log.write(module_, level, message, fields);
  }
  void to(Log& log, LogLevel level, std::string_view message,
          std::initializer_list<LogField> fields = {}) const noexcept {
    log.write(module_, level, message, std::span(fields.begin(), fields.size()));
  }

  // Returns whether a line of this level would be written now. For lines that are expensive to make.
  [[nodiscard]] bool takes(LogLevel level) const noexcept;

 private:
  std::string_view module_;
};

}  // namespace volt
