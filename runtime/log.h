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
// Threads: every member may be called from any thread. Lifetime: shared by its writers; the destructor writes pending
// lines for at most LogOptions::flush_timeout. Errors: none are reported; lost lines are counted.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace volt {

class LogLine;

enum class LogLevel : std::uint8_t { debug, info, warning, error, off };
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
};

// Writes `entry` to `line` as exactly one line: text is escaped, and long text is truncated; a field that does not fit
// is left out.
void compose(const LogEntry& entry, LogFormat format, LogLine& line) noexcept;

struct LogOptions {
  LogLevel level = LogLevel::info;  // lowest level that is written
  LogFormat format = LogFormat::text;
  std::size_t buffer_bytes = 1024 * 1024;  // capacity of the buffer of pending lines; lines beyond it are dropped
  std::chrono::milliseconds flush_timeout = std::chrono::seconds(1);  // how long the destructor writes pending lines
  int fd = 2;  // descriptor to write to; must stay open, and is not closed by the log
  std::function<void(std::string_view lines)> sink = {};  // replaces `fd` if set; called by the log's thread
};

class Log {
 public:
  explicit Log(LogOptions options = {});
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  [[nodiscard]] bool takes(LogLevel level) const noexcept { return level >= level_ && level != LogLevel::off; }
  void write(LogLevel level, std::string_view message, std::span<const LogField> fields) noexcept;
  void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {}) noexcept {
    write(level, message, std::span(fields.begin(), fields.size()));
  }
  // Writes `line` as it is. `line` must end with '\n'.
  void write_line(std::string_view line) noexcept;

  // Waits until the pending lines are written, for at most `limit`. A signal handler may call it.
  void flush(std::chrono::milliseconds limit) noexcept;

  // Returns the number of lines dropped since the log was created.
  [[nodiscard]] std::uint64_t dropped() const noexcept;

 private:
  class Writer;

  const LogLevel level_;
  const LogFormat format_;
  std::shared_ptr<Writer> writer_;  // shared with its thread, which may outlive the Log if a write blocks
};

// Writes a line to the log of the calling task's runtime. On a thread that runs no task, writes the line immediately
// to stderr as text, but drops a line of level debug.
void log(LogLevel level, std::string_view message, std::span<const LogField> fields) noexcept;
inline void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {}) noexcept {
  log(level, message, std::span(fields.begin(), fields.size()));
}
// Writes `line` as it is to the log of the calling task's runtime, or to stderr on a thread that runs no task. `line`
// must end with '\n'.
void log_line(std::string_view line) noexcept;

}  // namespace volt
