// SPDX-License-Identifier: MIT

#include "runtime/sched/thread_state.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <span>
#include <string_view>

namespace volt::sched {
namespace {

constexpr std::size_t kStatBytes = 128;  // more than what precedes the state in "stat"

std::int64_t read_ns(clockid_t clock) noexcept {
  timespec time{};
  return ::clock_gettime(clock, &time) == 0 ? std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec : -1;
}

// Opens a file of /proc about the thread. Returns -1 if that fails.
int open_of(pid_t thread, const char* name) noexcept {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/%s", thread, name);
  return ::open(path, O_RDONLY | O_CLOEXEC);
}

// Reads the beginning of such a file into `content`. Empty if it cannot be read.
std::string_view read_of(pid_t thread, const char* name, std::span<char> content) noexcept {
  const int file = open_of(thread, name);
  if (file < 0) return {};
  const ssize_t count = ::read(file, content.data(), content.size());
  ::close(file);
  return {content.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

// Returns whether the thread sleeps, by its "stat" file. The state follows the name, which is in parentheses and may
// contain any character (proc_pid_stat(5)).
bool says_sleeps(std::string_view stat) noexcept {
  const std::size_t name_end = stat.rfind(')');
  const bool has_state = name_end != std::string_view::npos && name_end + 2 < stat.size();
  const char state = has_state ? stat[name_end + 2] : '?';
  return state == 'S' || state == 'D';
}

}  // namespace

clockid_t processor_clock(pid_t thread) noexcept {
  // The kernel's encoding of the clock (pthread_getcpuclockid() needs a pthread_t).
  constexpr unsigned kThreadClock = 4;
  constexpr unsigned kProcessorTime = 2;
  return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | kThreadClock | kProcessorTime);
}

std::int64_t processor_time_ns(pid_t thread) noexcept { return read_ns(processor_clock(thread)); }

ThreadUse thread_use() noexcept {
  rusage use{};
  ::getrusage(RUSAGE_THREAD, &use);
  return {.processor_time_ns = read_ns(CLOCK_THREAD_CPUTIME_ID), .preemptions = use.ru_nivcsw, .sleeps = use.ru_nvcsw};
}

std::int64_t run_delay_ns(pid_t thread) noexcept {
  char content[128];
  // Processor time, run delay and number of time slices (Linux' Documentation/scheduler/sched-stats.rst).
  std::string_view text = read_of(thread, "schedstat", content);
  text.remove_prefix(std::min(text.size(), text.find(' ') + 1));
  std::int64_t delay_ns = -1;
  std::from_chars(text.data(), text.data() + text.size(), delay_ns);
  return delay_ns;
}

// Reads the state first: a wait for a processor that begins in between then counts as run delay, not as sleep.
ThreadWaits thread_waits(pid_t thread) noexcept {
  char content[kStatBytes];
  const bool sleeps = says_sleeps(read_of(thread, "stat", content));
  return {.sleeps = sleeps, .run_delay_ns = run_delay_ns(thread)};
}

SleepProbe::~SleepProbe() {
  if (file_ >= 0) ::close(file_);
}

void SleepProbe::open(pid_t thread) noexcept { file_ = open_of(thread, "stat"); }

bool SleepProbe::sleeps() const noexcept {
  if (file_ < 0) return false;
  char content[kStatBytes];
  const ssize_t count = ::pread(file_, content, sizeof content, 0);
  return says_sleeps({content, static_cast<std::size_t>(std::max<ssize_t>(count, 0))});
}

}  // namespace volt::sched
