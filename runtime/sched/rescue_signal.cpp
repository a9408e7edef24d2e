// SPDX-License-Identifier: MIT

#include "runtime/sched/rescue_signal.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <mutex>

#include "runtime/sched/thread_state.h"

namespace volt::sched {
namespace {

// The action that the program had chosen for a signal, and how many schedulers use the signal.
struct Installed {
  struct sigaction previous;
  int users;
  RescueSignal::OnSignal on_signal;
  RescueSignal::OnSignal on_timer;
};

std::mutex g_mutex;
Installed g_installed[_NSIG];

// Mark the signals that Volt sends, and those of its timers.
const char g_mark = 0;
const char g_timer_mark = 0;

void handle(int number, siginfo_t* info, void* context) {
  const Installed& installed = g_installed[number];
  if (info->si_code == SI_QUEUE && info->si_value.sival_ptr == &g_mark) return installed.on_signal(context);
  if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &g_timer_mark) return installed.on_timer(context);
  const struct sigaction& previous = installed.previous;
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(number, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(number);
  }
}

bool is_ours(const struct sigaction& action) noexcept {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == handle;
}

bool blocks(pid_t thread, int number) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  const std::string field = "SigBlk:";
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(field)) continue;
    const unsigned long long mask = std::strtoull(line.c_str() + field.size(), nullptr, 16);
    return (mask >> (number - 1) & 1) != 0;
  }
  return false;
}

}  // namespace

void RescueSignal::install() noexcept {
  if (!enabled()) return;
  const std::scoped_lock lock(g_mutex);
  Installed& installed = g_installed[number_];
  if (installed.users++ != 0) return;
  ::sigaction(number_, nullptr, &installed.previous);
  installed.on_signal = on_signal_;
  installed.on_timer = on_timer_;
  struct sigaction action{};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number_, &action, nullptr);
}

void RescueSignal::remove() noexcept {
  if (!enabled()) return;
  const std::scoped_lock lock(g_mutex);
  Installed& installed = g_installed[number_];
  if (--installed.users != 0) return;
  struct sigaction current{};
  ::sigaction(number_, nullptr, &current);
  if (is_ours(current)) ::sigaction(number_, &installed.previous, nullptr);
}

void RescueSignal::unblock() const noexcept {
  if (!enabled()) return;
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, number_);
  ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

void RescueSignal::send(pid_t thread) const noexcept {
  siginfo_t info{};
  info.si_signo = number_;
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_ptr = const_cast<char*>(&g_mark);
  ::syscall(SYS_rt_tgsigqueueinfo, info.si_pid, thread, number_, &info);
}

Result<timer_t> RescueSignal::send_periodically(pid_t thread, std::chrono::nanoseconds interval) const noexcept {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = number_;
  event.sigev_value.sival_ptr = const_cast<char*>(&g_timer_mark);
  event._sigev_un._tid = thread;  // glibc before 2.38 has no name for it
  timer_t timer{};
  if (::timer_create(processor_clock(thread), &event, &timer) != 0) return system_error(errno);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(interval);
  const timespec period{.tv_sec = seconds.count(), .tv_nsec = (interval - seconds).count()};
  const itimerspec times{.it_interval = period, .it_value = period};
  if (::timer_settime(timer, 0, &times, nullptr) == 0) return timer;
  const int error = errno;
  ::timer_delete(timer);
  return system_error(error);
}

std::string RescueSignal::obstacle(pid_t thread) const {
  struct sigaction current{};
  ::sigaction(number_, nullptr, &current);
  const std::string name = "signal " + std::to_string(number_) + " (SIG" + ::sigabbrev_np(number_) + ")";
  if (!is_ours(current)) return "the program has replaced the handler of " + name;
  if (blocks(thread, number_)) return "the thread blocks " + name;
  return {};
}

}  // namespace volt::sched
