// SPDX-License-Identifier: MIT

// Edges
//   C1  the exchanges of g_log : only one handler gets the log, and it sees what the constructor has written
#include "runtime/crash_report.h"

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <string_view>

#include "runtime/base/atomic.h"
#include "runtime/sched/current.h"
#include "runtime/sched/task_header.h"
#include "runtime/sched/worker.h"

namespace volt {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr auto kFlushTimeout = std::chrono::milliseconds(500);

base::Atomic<Log*> g_log{nullptr};

// A line of text in a buffer of fixed size: a signal handler may not allocate.
class Line {
 public:
  void add(std::string_view text) noexcept {
    const std::size_t count = std::min(text.size(), sizeof buffer_ - size_);
    std::memcpy(buffer_ + size_, text.data(), count);
    size_ += count;
  }
  void add(std::uint64_t number, int base = 10) noexcept {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number, base).ptr;
    add(std::string_view(digits, end));
  }
  void write() noexcept { static_cast<void>(::write(STDERR_FILENO, buffer_, size_)); }

 private:
  char buffer_[512];
  std::size_t size_ = 0;
};

void add_place(Line& line) noexcept {
  const sched::Context* context = sched::current();
  if (context == nullptr) return line.add(" outside the workers");
  line.add(" on worker ");
  line.add(context->worker_index);
  if (context->task == nullptr) return;
  line.add(", task ");
  line.add(context->task->id);
  const std::string_view work = context->task->work_class.name();
  if (work.empty()) return;
  line.add(", ");
  line.add(work);
}

// Only async-signal-safe functions may be called here (signal-safety(7)).
void report(int number, siginfo_t* info, void*) {
  ::signal(number, SIG_DFL);
  Log* const log = g_log.exchange(nullptr, base::acq_rel);  // C1. A second thread that crashes only dies
  if (log != nullptr) {
    log->flush(kFlushTimeout);
    Line line;
    line.add("volt: SIG");
    line.add(::sigabbrev_np(number));
    if (info->si_code > 0 && number != SIGABRT) {  // of the kernel's making
      line.add(" (address 0x");
      line.add(reinterpret_cast<std::uintptr_t>(info->si_addr), 16);
      line.add(")");
    }
    add_place(line);
    line.add(": the process dies\n");
    line.write();
  }
  ::raise(number);  // takes effect when this handler returns
}

}  // namespace

CrashReport::CrashReport(std::shared_ptr<Log> log) : log_(std::move(log)) {
  g_log.exchange(log_.get(), base::acq_rel);  // C1
  for (const int number : kSignals) {
    struct sigaction before{};
    ::sigaction(number, nullptr, &before);
    if ((before.sa_flags & SA_SIGINFO) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action{};
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
  }
}

CrashReport::~CrashReport() {
  for (const int number : kSignals) {
    struct sigaction now{};
    ::sigaction(number, nullptr, &now);
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == report) ::signal(number, SIG_DFL);
  }
  g_log.exchange(nullptr, base::acq_rel);  // C1
}

}  // namespace volt
