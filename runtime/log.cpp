// SPDX-License-Identifier: MIT

#include "runtime/log.h"

#include <unistd.h>

#include <stdexcept>

#include "runtime/internal/log_levels.h"
#include "runtime/internal/log_writer.h"
#include "runtime/log_context.h"
#include "runtime/log_line.h"
#include "runtime/logger.h"
#include "runtime/recent_errors.h"
#include "runtime/sched/current.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/task_header.h"

namespace volt {
namespace {

constexpr std::string_view kUsersModule = "app";

// Returns the entry of a line that is written now.
LogEntry entry_of(std::string_view module, LogLevel level, std::string_view message,
                  std::span<const LogField> fields) noexcept {
  // Lines of the module `app` do not name it: most programs have no other one, and none of its lines is Volt's.
  return {.time = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()),
          .level = level,
          .message = message,
          .fields = fields,
          .module = module == kUsersModule ? std::string_view() : module,
          .context = current_log_context()};
}

// The line of an entry.
class Composed {
 public:
  Composed(const LogEntry& entry, LogFormat format) noexcept { compose(entry, format, line_); }
  [[nodiscard]] std::string_view view() const noexcept { return line_.view(); }

 private:
  LogLine line_;
};

// The log of the runtime to which the calling thread belongs: as a worker, in the blocking pool or as its watchdog.
Log* current_log() noexcept {
  sched::Scheduler* const scheduler = sched::current_scheduler();
  return scheduler != nullptr ? &scheduler->log() : nullptr;
}

void write_to_stderr(std::string_view line) noexcept {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

// Writes a line to the log of the calling thread's runtime, or else to stderr.
void write_to_current(std::string_view module, LogLevel level, std::string_view message,
                      std::span<const LogField> fields) noexcept {
  if (Log* const log = current_log()) return log->write(module, level, message, fields);
  if (level < LogLevel::info || level == LogLevel::off) return;
  write_to_stderr(Composed(entry_of(module, level, message, fields), LogFormat::text).view());
}

}  // namespace

Log::Log(LogOptions options)
    : format_(options.format),
      levels_(std::make_unique<Levels>(options.level)),
      recent_errors_(std::make_unique<RecentErrors>()),
      writer_(std::make_shared<Writer>(std::move(options))) {
  if (const auto set = levels_->set(writer_->options().levels); !set) throw std::invalid_argument(set.error());
}

Log::~Log() { writer_->end(); }

bool Log::takes(LogLevel level, std::string_view module) const noexcept { return levels_->takes(level, module); }

void Log::write(LogLevel level, std::string_view message, std::span<const LogField> fields) noexcept {
  write(kUsersModule, level, message, fields);
}

void Log::write(std::string_view module, LogLevel level, std::string_view message,
                std::span<const LogField> fields) noexcept {
  if (!takes(level, module)) return;
  const LogEntry entry = entry_of(module, level, message, fields);
  writer_->push(level, Composed(entry, format_).view());
  if (level == LogLevel::error) recent_errors_->add(entry, module);
}

void Log::write_line(std::string_view line) noexcept { writer_->push(LogLevel::info, line); }

std::expected<void, std::string> Log::set_levels(std::string_view text) { return levels_->set(text); }

std::string Log::levels() const { return levels_->text(); }

std::error_code Log::reopen() noexcept { return writer_->reopen(); }

void Log::flush(std::chrono::milliseconds limit) noexcept { writer_->flush(limit); }

std::uint64_t Log::dropped() const noexcept { return writer_->dropped(); }

void log(LogLevel level, std::string_view message, std::span<const LogField> fields) noexcept {
  write_to_current(kUsersModule, level, message, fields);
}

void log_line(std::string_view line) noexcept {
  Log* const log = current_log();
  log != nullptr ? log->write_line(line) : write_to_stderr(line);
}

void Logger::operator()(LogLevel level, std::string_view message, std::span<const LogField> fields) const noexcept {
  write_to_current(module_, level, message, fields);
}

bool Logger::takes(LogLevel level) const noexcept {
  const Log* const log = current_log();
  return log != nullptr ? log->takes(level, module_) : level >= LogLevel::info && level != LogLevel::off;
}

void set_log_context(const LogContext* context) noexcept {
  sched::Context& worker = sched::worker_context("set_log_context()");
  worker.task->log_context = context;
  worker.log_context = context;
}

const LogContext* current_log_context() noexcept { return sched::current_log_context(); }

}  // namespace volt
