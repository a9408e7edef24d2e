// SPDX-License-Identifier: MIT

#include "runtime/log.h"

#include <unistd.h>

#include "runtime/internal/log_writer.h"
#include "runtime/log_line.h"
#include "runtime/sched/current.h"
#include "runtime/sched/scheduler.h"

namespace volt {
namespace {

LogEntry entry_now(LogLevel level, std::string_view message, std::span<const LogField> fields) noexcept {
  const auto time = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  return {time, level, message, fields};
}

Log* current_log() noexcept {
  const sched::Context* context = sched::current();
  return context != nullptr ? &context->scheduler->log() : nullptr;
}

void write_to_stderr(std::string_view line) noexcept {
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

Log::Log(LogOptions options)
    : level_(options.level), format_(options.format), writer_(std::make_shared<Writer>(std::move(options))) {}

Log::~Log() { writer_->end(); }

void Log::write(LogLevel level, std::string_view message, std::span<const LogField> fields) noexcept {
  if (!takes(level)) return;
  LogLine line;
  compose(entry_now(level, message, fields), format_, line);
  writer_->push(line.view());
}

void Log::write_line(std::string_view line) noexcept { writer_->push(line); }

void Log::flush(std::chrono::milliseconds limit) noexcept { writer_->flush(limit); }

std::uint64_t Log::dropped() const noexcept { return writer_->dropped(); }

void log(LogLevel level, std::string_view message, std::span<const LogField> fields) noexcept {
  if (Log* const log = current_log()) return log->write(level, message, fields);
  if (level < LogLevel::info || level == LogLevel::off) return;
  LogLine line;
  compose(entry_now(level, message, fields), LogFormat::text, line);
  write_to_stderr(line.view());
}

void log_line(std::string_view line) noexcept {
  Log* const log = current_log();
  log != nullptr ? log->write_line(line) : write_to_stderr(line);
}

}  // namespace volt
