// SPDX-License-Identifier: MIT

// Log::Writer: the pending lines of a log, and the thread that writes them.
//
// Threads: push(), flush() and dropped() may be called from any thread; end() is called once, last. The thread starts
// with the first line.
// Lifetime: shared with its thread.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "runtime/base/atomic.h"
#include "runtime/log.h"

namespace volt {

class Log::Writer : public std::enable_shared_from_this<Writer> {
 public:
  // Throws std::system_error if LogOptions::file cannot be opened.
  explicit Writer(LogOptions options);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  [[nodiscard]] const LogOptions& options() const noexcept { return options_; }
  void push(LogLevel level, std::string_view line) noexcept;
  std::error_code reopen() noexcept;
  [[nodiscard]] std::uint64_t dropped() const noexcept;
  void flush(std::chrono::milliseconds limit) const noexcept;
  // Writes pending lines, for at most LogOptions::flush_timeout, and ends the thread.
  void end() noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  void run() noexcept;
  // Waits for pending lines and moves them to `lines`. Returns false if the log ends and no line is left.
  bool take(std::string& lines);
  // These functions write lines, and return the number of lines that were lost.
  std::uint64_t write(std::string_view lines) noexcept;
  std::uint64_t write_to_fd(std::string_view lines) noexcept;
  // Waits until the descriptor is writable. Returns false if the log is ending and LogOptions::flush_timeout has
  // passed: end() then returns soon, and the descriptor is the caller's.
  bool await_room() noexcept;
  // Returns whether the log is ending, and LogOptions::flush_timeout had passed `ago` before now.
  bool flush_has_ended(std::chrono::milliseconds ago = {}) noexcept;
  void report_dropped(std::uint64_t lost_now) noexcept;

  const LogOptions options_;  // `fd` is that of the file, if there is one
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;        // guarded by mutex_, like the members up to thread_
  std::uint64_t dropped_ = 0;  // number of lines dropped since the start
  bool ending_ = false;
  bool ended_ = false;
  Clock::time_point give_up_at_;  // valid if ending_
  std::thread thread_;
  std::uint64_t reported_ = 0;         // lines of dropped_ that were reported; used only by the thread
  base::Atomic<bool> pending_{false};  // lines wait, or are being written
  bool torn_ = false;                  // the last line was written in part; used only by the thread
};

}  // namespace volt
