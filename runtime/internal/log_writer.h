// Log::Writer: the lines that wait, and the thread that writes them.
//
// Threads: push() and dropped() by any; end() by one, last. The thread starts with the first line.
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
  explicit Writer(LogOptions options) : options_(std::move(options)) {}

  void push(std::string_view line) noexcept;
  [[nodiscard]] std::uint64_t dropped() const noexcept;
  // What waits is written, for as long as the options say.
  void end() noexcept;

 private:
  using Clock = std::chrono::steady_clock;

  void run() noexcept;
  // False if it was told to end, and nothing is left.
  bool take(std::string& lines);
  // These return how many lines were lost.
  std::uint64_t write(std::string_view lines) noexcept;
  std::uint64_t write_to_fd(std::string_view lines) noexcept;
  // False if that is not to be awaited any more.
  bool await_room() noexcept;
  void report_dropped(std::uint64_t lost_now) noexcept;

  const LogOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;        // under mutex_, as all below
  std::uint64_t dropped_ = 0;  // ever
  bool ending_ = false;
  bool ended_ = false;
  Clock::time_point give_up_at_;  // once it is ending
  std::thread thread_;
  // The thread's own:
  std::uint64_t reported_ = 0;  // of dropped_
  bool torn_ = false;           // the last line that was written is not whole
};

}  // namespace volt
