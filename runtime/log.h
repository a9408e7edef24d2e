// Log: what a program says of itself, line by line, as text, logfmt or JSON.
//
//   volt::log(LogLevel::warning, "slow query", {{"table", name}, {"took", elapsed}});     // in a task
//
//   text     2026-11-20T17:08:22.123Z warning slow query table=items took=12.500
//   logfmt   time=2026-11-20T17:08:22.123Z level=warning msg="slow query" table=items took=12.500
//   json     {"time":"2026-11-20T17:08:22.123Z","level":"warning","msg":"slow query","table":"items","took":12.500}
//
// Whoever writes never waits for the disk, the pipe or the terminal: a line goes into a bounded buffer, and a thread of
// the log's own takes it from there. What has no room is dropped, as is what cannot be written; that it was, and how
// often, is said as soon as it can be. One buffer serves all workers, so that lines keep their order; its lock is held
// for a copy of a line.
//
// Threads: every member by any. Lifetime: shared by whoever writes; its end writes what waits, for a while.
// Errors: none; what is lost is counted.
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

// Text is a view: good until the call that takes it returns. A duration is said in milliseconds, with three decimals.
class LogValue {
 public:
  using Any =
      std::variant<std::nullptr_t, std::string_view, std::int64_t, std::uint64_t, bool, std::chrono::microseconds>;

  LogValue(std::nullptr_t = nullptr) noexcept : value_(nullptr) {}  // known to be nothing
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
  std::string_view name;  // a word of ours: letters and underscores
  LogValue value;
};

struct LogEntry {
  std::chrono::sys_time<std::chrono::milliseconds> time;
  LogLevel level;
  std::string_view message;
  std::span<const LogField> fields;
};

// One line, whatever the entry holds: text is escaped, cut where it is long, and left out where there is no room.
void compose(const LogEntry& entry, LogFormat format, LogLine& line) noexcept;

struct LogOptions {
  LogLevel level = LogLevel::info;  // and above
  LogFormat format = LogFormat::text;
  std::size_t buffer_bytes = 1024 * 1024;                             // of lines that wait to be written
  std::chrono::milliseconds flush_timeout = std::chrono::seconds(1);  // at the end, for what still waits
  int fd = 2;                                                         // stays open, and is not closed
  std::function<void(std::string_view lines)> sink = {};              // instead of `fd`; called by the log's thread
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
  // A line in a format of its own, with its '\n'.
  void write_line(std::string_view line) noexcept;

  // Lines, since it began.
  [[nodiscard]] std::uint64_t dropped() const noexcept;

 private:
  class Writer;

  const LogLevel level_;
  const LogFormat format_;
  std::shared_ptr<Writer> writer_;  // its thread's too, which a terminal that is stopped may outlast us
};

// To the log of the calling task's runtime. From a thread that runs no task: to stderr, as text, at once.
void log(LogLevel level, std::string_view message, std::span<const LogField> fields) noexcept;
inline void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {}) noexcept {
  log(level, message, std::span(fields.begin(), fields.size()));
}
// The same for a line in a format of its own, with its '\n'.
void log_line(std::string_view line) noexcept;

}  // namespace volt
