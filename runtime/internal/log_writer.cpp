// SPDX-License-Identifier: MIT

#include "runtime/internal/log_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <system_error>
#include <utility>

#include "runtime/log_line.h"

namespace volt {
namespace {

// The time for which the thread collects lines after the first one. It then writes them together, and need not be woken
// for each line.
constexpr auto kGather = std::chrono::milliseconds(5);
constexpr int kLookForEndMs = 50;  // how often a wait for room checks whether the log ends
// After LogOptions::flush_timeout the thread writes for at most kLastWrites, and end() waits for kMargin.
constexpr auto kLastWrites = std::chrono::milliseconds(2 * kLookForEndMs);
constexpr auto kMargin = 2 * kLastWrites;
// A buffer that has grown beyond this size, because the lines could not be written for a while, is freed.
constexpr std::size_t kKeptBytes = std::size_t{64} * 1024;

// Returns the leading whole lines that a writable pipe accepts without blocking: at most PIPE_BUF bytes (pipe(7)).
std::string_view part_of(std::string_view lines) noexcept {
  if (lines.size() <= PIPE_BUF) return lines;
  const std::size_t end = lines.rfind('\n', PIPE_BUF - 1);
  return lines.substr(0, end == std::string_view::npos ? PIPE_BUF : end + 1);
}

std::uint64_t count_lines(std::string_view lines) noexcept {
  return static_cast<std::uint64_t>(std::ranges::count(lines, '\n'));
}

// Returns the prefix that sd-daemon(3) defines, with the level of syslog(3).
std::string_view priority_of(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::debug:
      return "<7>";
    case LogLevel::info:
      return "<6>";
    case LogLevel::warning:
      return "<4>";
    case LogLevel::error:
      return "<3>";
    case LogLevel::off:
      break;
  }
  return "";
}

// Appends whole lines: with O_APPEND, a write of one process never overwrites that of another, such as the process that
// replaces it (hot restart).
int open_file(const std::string& path) noexcept {
  return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0640);
}

LogOptions with_file(LogOptions options) {
  if (options.file.empty()) return options;
  options.fd = open_file(options.file);
  if (options.fd >= 0) return options;
  const std::error_code why(errno, std::system_category());
  throw std::system_error(why, "log.file: cannot open \"" + options.file + "\"");
}

}  // namespace

Log::Writer::Writer(LogOptions options) : options_(with_file(std::move(options))) {}

Log::Writer::~Writer() {
  if (!options_.file.empty()) ::close(options_.fd);
}

// The descriptor keeps its number, so the thread can go on writing.
std::error_code Log::Writer::reopen() noexcept {
  if (options_.file.empty()) return {};
  const int fd = open_file(options_.file);
  std::error_code failed;
  if (fd < 0 || ::dup3(fd, options_.fd, O_CLOEXEC) < 0) failed.assign(errno, std::system_category());
  if (fd >= 0) ::close(fd);
  return failed;
}

void Log::Writer::push(LogLevel level, std::string_view line) noexcept {
  const std::string_view priority = options_.priorities ? priority_of(level) : std::string_view();
  const std::size_t size = priority.size() + line.size();
  const std::scoped_lock lock(mutex_);
  try {
    if (waiting_.size() + size > options_.buffer_bytes) {
      ++dropped_;
      return;
    }
    waiting_.reserve(waiting_.size() + size);
    waiting_.append(priority).append(line);
    pending_.store(true, base::relaxed);  // relaxed: the lines are passed under the lock
    if (!thread_.joinable() && !ending_) thread_ = std::thread([self = shared_from_this()] { self->run(); });
  } catch (const std::exception&) {  // decided: out of memory or threads; the line is dropped
    ++dropped_;
    return;
  }
  if (waiting_.size() == size) changed_.notify_one();
}

void Log::Writer::flush(std::chrono::milliseconds limit) const noexcept {
  const timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
  for (auto waited = std::chrono::milliseconds(0); waited < limit; ++waited) {
    if (!pending_.load(base::relaxed)) return;  // relaxed: as above
    ::nanosleep(&pause, nullptr);
  }
}

std::uint64_t Log::Writer::dropped() const noexcept {
  const std::scoped_lock lock(mutex_);
  return dropped_;
}

void Log::Writer::end() noexcept {
  std::unique_lock lock(mutex_);
  ending_ = true;
  give_up_at_ = Clock::now() + options_.flush_timeout;
  if (!thread_.joinable()) return;
  changed_.notify_all();
  // A stopped terminal may block a write forever. In that case the thread is detached. This is safe, because the thread
  // shares ownership of the Writer.
  const bool ended = changed_.wait_until(lock, give_up_at_ + kMargin, [this] { return ended_; });
  lock.unlock();
  ended ? thread_.join() : thread_.detach();
}

void Log::Writer::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "volt-log");  // otherwise it has the name of the thread that logged first
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);  // a pipe without a reader is an error, not a SIGPIPE
  std::string lines;
  while (take(lines)) {
    report_dropped(write(lines));
    lines.clear();
    if (lines.capacity() > kKeptBytes) std::string().swap(lines);
  }
  const std::scoped_lock lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

bool Log::Writer::take(std::string& lines) {
  std::unique_lock lock(mutex_);
  if (waiting_.empty()) pending_.store(false, base::relaxed);  // relaxed: the write was a system call
  changed_.wait(lock, [this] { return !waiting_.empty() || ending_; });
  if (waiting_.empty()) return false;
  changed_.wait_for(lock, kGather, [this] { return ending_; });
  lines.swap(waiting_);
  return true;
}

std::uint64_t Log::Writer::write(std::string_view lines) noexcept {
  if (!options_.sink) return write_to_fd(lines);
  try {
    options_.sink(lines);
    return 0;
  } catch (...) {  // decided: whatever a sink throws, its lines are lost and the log continues
    return count_lines(lines);
  }
}

std::uint64_t Log::Writer::write_to_fd(std::string_view lines) noexcept {
  std::uint64_t lost = 0;
  if (torn_ && await_room() && ::write(options_.fd, "\n", 1) == 1) torn_ = false;
  while (!lines.empty()) {
    if (!await_room()) return lost + count_lines(lines);
    const std::string_view part = part_of(lines);
    const ssize_t count = ::write(options_.fd, part.data(), part.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) {
      lost += count_lines(part);
      lines.remove_prefix(part.size());
      continue;
    }
    const auto written = static_cast<std::size_t>(count);
    torn_ = written != 0 && part[written - 1] != '\n';
    lines.remove_prefix(written);
  }
  return lost;
}

bool Log::Writer::await_room() noexcept {
  for (;;) {
    if (flush_has_ended(kLastWrites)) return false;
    pollfd writable{options_.fd, POLLOUT, 0};
    if (::poll(&writable, 1, kLookForEndMs) > 0) return true;  // or an error, which the write will report
    if (flush_has_ended()) return false;
  }
}

bool Log::Writer::flush_has_ended(std::chrono::milliseconds ago) noexcept {
  const std::scoped_lock lock(mutex_);
  return ending_ && Clock::now() >= give_up_at_ + ago;
}

void Log::Writer::report_dropped(std::uint64_t lost_now) noexcept {
  std::uint64_t unreported = 0;
  {
    const std::scoped_lock lock(mutex_);
    dropped_ += lost_now;
    unreported = dropped_ - reported_;
  }
  if (unreported == 0 || flush_has_ended()) return;
  LogLine line;
  if (options_.priorities) line.add(priority_of(LogLevel::warning));
  const LogField fields[] = {{"lines", unreported}};
  const auto time = std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  compose({time, LogLevel::warning, "log lines were dropped", fields}, options_.format, line);
  if (write(line.view()) == 0) reported_ += unreported;
}

}  // namespace volt
