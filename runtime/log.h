// SPDX-License-Identifier: MIT

// Log: writes log lines as text, logfmt or JSON.
//
//   volt::log(LogLevel::warning, "slow query", {{"table", name}, {"took", elapsed}});     // in a task
//
//   text     2026-11-20T17:08:22.123Z warning slow query table=items took=12.500
//   logfmt   time=2026-11-20T17:08:22.123Z level=warning msg="slow query" table=items took=12.500
//   json     {"time":"2026-11-20T17:08:22.123Z","level":"warning","msg":"slow query","table":"items","took":12.500}
//
// A writer never waits for a disk, a pipe or a terminal: write() copies the line into a bounded buffer, and a thread of
// the log writes the buffer out. Lines that do not fit in the buffer, and lines that cannot be written, are dropped and
// counted; the log reports their number as soon as it can write again. All workers share one buffer, so that lines keep
// their order; its lock is held while a line is copied.
//
// Each line belongs to a module, whose level can be changed at any time (Log::set_levels). Lines of log() belong to the
// module `app`; a Logger (runtime/logger.h) writes lines of another module. A line that a task writes also has the
// fields of the task's context, such as the id of the request that the task serves (runtime/log_context.h).
//
// Threads: every member may be called from any thread. Lifetime: shared by its writers; the destructor writes pending
// lines for at most LogOptions::flush_timeout. Errors: none are reported but those of set_levels() and reopen(); lost
// lines are counted.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>

namespace volt {

class LogContext;
class LogLine;
class RecentErrors;

enum class LogLevel : std::uint8_t { debug, info, warning, error, off };
// Returns the name of the enumerator.
[[nodiscard]] std::string_view to_string(LogLevel level) noexcept;

enum class LogFormat : std::uint8_t { text, logfmt, json };

// The value of one field of a log line. Text is a view, which must stay valid until the call that takes the LogValue
// returns. A duration is written in milliseconds with three decimals.
class LogValue {
 public:
  using Any =
      std::variant<std::nullptr_t, std::string_view, std::int64_t, std::uint64_t, bool, std::chrono::microseconds>;

  LogValue(std::nullptr_t = nullptr) noexcept : value_(nullptr) {}  // written as "-", or null in JSON
  LogValue(std::string_view text) noexcept : value_(text) {}
  LogValue(const std::string& text) noexcept : value_(std::string_view(text)) {}
  LogValue(const char* text) noexcept : value_(std::string_view(text)) {}
  LogValue(std::same_as<bool> auto fact) noexcept : value_(fact) {}
  LogValue(std::signed_integral auto number) noexcept : value_(static_cast<std::int64_t>(number)) {}
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  LogValue(T number) noexcept : value_(static_cast<std::uint64_t>(number)) {}
  template <class Rep, class Period>
  LogValue(std::chrono::duration<Rep, Period> duration) noexcept
      : value_(std::chrono::duration_cast<std::chrono::microseconds>(duration)) {}

  [[nodiscard]] const Any& any() const noexcept { return value_; }

 private:
  Any value_;
};

struct LogField {
  std::string_view name;  // letters and underscores; not escaped, so it must not come from outside
  LogValue value;
};

struct LogEntry {
  std::chrono::sys_time<std::chrono::milliseconds> time;
  LogLevel level;
  std::string_view message;
  std::span<const LogField> fields;
  std::string_view module = {};         // written as the field `module`; empty: none
  const LogContext* context = nullptr;  // adds its fields, but none with a name that `fields` contains; null: none
};

// Writes `entry` to `line` as exactly one line: text is escaped, and long text is truncated; a field that does not fit
// is left out.
void compose(const LogEntry& entry, LogFormat format, LogLine& line) noexcept;

struct LogOptions {
  LogLevel level = LogLevel::info;  // lowest level that is written
  std::string levels = {};          // modules with a level of their own, such as "http=debug, pg=warning"
  LogFormat format = LogFormat::text;
  std::size_t buffer_bytes = 1024 * 1024;  // capacity of the buffer of pending lines; lines beyond it are dropped
  std::chrono::milliseconds flush_timeout = std::chrono::seconds(1);  // how long the destructor writes pending lines
  int fd = 2;               // descriptor to write to; must stay open, and is not closed by the log
  std::string file = {};    // replaces `fd` if not empty: lines are appended to this file, which is created if missing
  bool priorities = false;  // begin each line with its priority, as systemd's journal reads it: "<4>" is a warning
  std::function<void(std::string_view lines)> sink = {};  // replaces `fd` if set; called by the log's thread
};

class Log {
 public:
  // Throws std::system_error if LogOptions::file cannot be opened, and std::invalid_argument if LogOptions::levels is
  // malformed.
  explicit Log(LogOptions options = {});
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Returns whether lines of this level are written for the module.
  [[nodiscard]] bool takes(LogLevel level, std::string_view module = "app") const noexcept;
  // Writes a line of the module `app`.
  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) noexcept;
  void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {}) noexcept {
    write(level, message, std::span(fields.begin(), fields.size()));
  }
  // Writes a line of `module`.
  void write(std::string_view module, LogLevel level, std::string_view message,
             std::span<const LogField> fields) noexcept;
  // Writes `line` as it is. `line` must end with '\n'.
  void write_line(std::string_view line) noexcept;

  // Sets the levels, for example "info, http=debug, pg=warning": the level of all modules that are not named, which
  // does not change if it is missing, and the modules with a level of their own. Error: a sentence that says what is
  // wrong; then nothing changes.
  std::expected<void, std::string> set_levels(std::string_view text);
  // Returns the levels in the form that set_levels() takes.
  [[nodiscard]] std::string levels() const;

  // Opens LogOptions::file again, for example after it was renamed. Does nothing without a file. Errors: those of
  // open(2); lines are then written to the file that was open before.
  std::error_code reopen() noexcept;

  // Waits until the pending lines are written, for at most `limit`. A signal handler may call it.
  void flush(std::chrono::milliseconds limit) noexcept;

  // Returns the number of lines dropped since the log was created.
  [[nodiscard]] std::uint64_t dropped() const noexcept;
  // Returns the last lines of level error (runtime/recent_errors.h).
  [[nodiscard]] const RecentErrors& recent_errors() const noexcept { return *recent_errors_; }

 private:
  class Levels;
  class Writer;

  const LogFormat format_;
  const std::unique_ptr<Levels> levels_;
  const std::unique_ptr<RecentErrors> recent_errors_;
  std::shared_ptr<Writer> writer_;  // shared with its thread, which may outlive the Log if a write blocks
};

// Writes a line of the module `app` to the log of the calling task's runtime. In a callable of blocking(), the calling
// task is the one that awaits it. On a thread that belongs to no runtime, writes the line immediately to stderr as
// text, but drops a line of level debug.
void log(LogLevel level, std::string_view message, std::span<const LogField> fields) noexcept;
inline void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {}) noexcept {
  log(level, message, std::span(fields.begin(), fields.size()));
}
// Writes `line` as it is to the log of the calling task's runtime, or to stderr on a thread that belongs to no runtime.
// `line` must end with '\n'.
void log_line(std::string_view line) noexcept;

}  // namespace volt
