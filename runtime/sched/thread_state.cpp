// SPDX-License-Identifier: MIT

#include "runtime/sched/thread_state.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

namespace volt::sched {
namespace {

std::int64_t read_ns(clockid_t clock) noexcept {
  timespec time{};
  return ::clock_gettime(clock, &time) == 0 ? std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec : -1;
}

}  // namespace

std::int64_t processor_time_ns(pid_t thread) noexcept {
  // The kernel's encoding of the processor clock of a thread (pthread_getcpuclockid() needs a pthread_t).
  constexpr unsigned kThreadClock = 4;
  constexpr unsigned kProcessorTime = 2;
  return read_ns(static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | kThreadClock | kProcessorTime));
}

ThreadUse thread_use() noexcept {
  rusage use{};
  ::getrusage(RUSAGE_THREAD, &use);
  return {.processor_time_ns = read_ns(CLOCK_THREAD_CPUTIME_ID), .preemptions = use.ru_nivcsw, .sleeps = use.ru_nvcsw};
}

bool sleeps_in_kernel(pid_t thread) noexcept {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char content[128];
  const ssize_t count = ::read(file, content, sizeof content);
  ::close(file);
  if (count <= 0) return false;
  // The state follows the name, which is in parentheses and may contain any character (proc_pid_stat(5)).
  const std::string_view text(content, static_cast<std::size_t>(count));
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= text.size()) return false;
  const char state = text[name_end + 2];
  return state == 'S' || state == 'D';
}

}  // namespace volt::sched
