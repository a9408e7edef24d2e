// SPDX-License-Identifier: MIT

#include "runtime/runtime.h"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "runtime/exception_text.h"
#include "runtime/internal/runtime_log.h"
#include "runtime/internal/trace_file.h"
#include "runtime/internal/uring_cause.h"
#include "runtime/io/reactor.h"
#include "runtime/resolve.h"
#include "runtime/sched/cgroup_quota.h"
#include "runtime/sched/idle_state.h"
#include "runtime/sched/scheduler.h"

namespace volt {
namespace {

constexpr const char* kTraceVariable = "VOLT_SCHEDTRACE";

std::string append_cause(std::string text, std::error_code error) {
  utsname system{};
  ::uname(&system);
  const std::string cause = uring_cause(error, system.release);
  return cause.empty() ? text : text + " " + cause;
}

// Logs one line: that epoll is used, why, and how to enable io_uring.
IoEngine fall_back_to_epoll(std::error_code why, Log& log) {
  kRuntimeLog.to(log, LogLevel::warning, append_cause("io_uring is not available here, using epoll.", why),
                 {{"error", why.message()}});
  return IoEngine::epoll;
}

std::system_error refusal(std::error_code why) {
  return std::system_error(why, append_cause("io_uring is not available.", why));
}

IoEngine choose_engine(IoEngine wanted, Log& log) {
  if (wanted == IoEngine::epoll) return wanted;
  const Result<void> usable = io::probe_uring();
  if (usable) return IoEngine::uring;
  if (wanted == IoEngine::uring) throw refusal(usable.error());
  return fall_back_to_epoll(usable.error(), log);
}

std::unique_ptr<sched::Scheduler> make_scheduler(const RuntimeOptions& options, IoEngine engine) {
  return std::make_unique<sched::Scheduler>(options, engine == IoEngine::uring ? io::Engine::uring : io::Engine::epoll);
}

std::chrono::milliseconds trace_period(const RuntimeOptions& options) {
  if (options.schedtrace.count() > 0) return options.schedtrace;
  const char* text = std::getenv(kTraceVariable);
  return std::chrono::milliseconds(text != nullptr ? std::max(0, std::atoi(text)) : 0);
}

// Returns which task it is and what it does, for a message.
std::string describe(const TaskInfo& task) {
  std::string text = "task " + std::to_string(task.id) + " (";
  if (!task.function.empty()) text += task.function + ", ";
  if (!task.detached_at.empty()) text += "detached at " + task.detached_at + ", ";
  if (task.phase != TaskPhase::waiting) return text.append(to_string(task.phase)) + ")";
  return text.append("waits for: ").append(to_string(task.waits_for)) + ")";
}

// Logs which tasks have not ended although they were cancelled.
void report_wait(sched::Scheduler& scheduler, std::chrono::nanoseconds waited) noexcept {
  constexpr std::size_t kTasksReported = 8;
  try {
    const TaskReport report = scheduler.tasks(kTasksReported);
    std::string text = "the runtime cannot stop before these tasks have ended, which were cancelled:";
    for (const TaskInfo& task : report.tasks) {
      text += " " + describe(task) + ",";
    }
    text.back() = '.';
    if (report.live > report.tasks.size()) text += " There are " + std::to_string(report.live) + " in all.";
    const auto waited_ms = std::chrono::duration_cast<std::chrono::milliseconds>(waited).count();
    kRuntimeLog.to(scheduler.log(), LogLevel::warning, text, {{"waited_ms", waited_ms}});
  } catch (const std::exception&) {  // decided: without memory the report is left out
  }
}

static_assert(RuntimeOptions::kWorkersMax == sched::IdleState::kWorkersMax);

void require_range(const std::string& option, std::uint32_t value, std::uint32_t max) {
  if (value <= max) return;
  throw std::invalid_argument("RuntimeOptions::" + option + " is " + std::to_string(value) + "; it must be from 0 to " +
                              std::to_string(max));
}

}  // namespace

// Logs a line of counters every period. Runs on a separate thread, so that a blocked worker cannot stop it.
class Runtime::Schedtrace {
 public:
  Schedtrace(sched::Scheduler& scheduler, std::chrono::milliseconds period)
      : scheduler_(scheduler),
        period_(period),
        started_(std::chrono::steady_clock::now()),
        thread_([this] { print(); }) {}

  ~Schedtrace() {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

 private:
  void print() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, period_, [this] { return stopping_; })) {
      const auto uptime = std::chrono::steady_clock::now() - started_;
      const auto uptime_ms = std::chrono::duration_cast<std::chrono::milliseconds>(uptime).count();
      kRuntimeLog.to(scheduler_.log(), LogLevel::info, schedtrace_line(scheduler_.metrics(), uptime_ms));
    }
  }

  sched::Scheduler& scheduler_;
  const std::chrono::milliseconds period_;
  const std::chrono::steady_clock::time_point started_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;  // last member: the thread uses the others
};

Runtime::Runtime(RuntimeOptions options) {
  require_range("workers", options.workers, RuntimeOptions::kWorkersMax);
  require_range("spare_workers_max", options.spare_workers_max, RuntimeOptions::kSpareWorkersMax);
  if (!options.log) options.log = std::make_shared<Log>();
  if (!options.resolver) options.resolver = std::make_shared<Resolver>();
  engine_ = choose_engine(options.io, *options.log);
  if (options.workers == 0) options.workers = std::min(usable_processors(), RuntimeOptions::kWorkersMax);
  try {
    scheduler_ = make_scheduler(options, engine_);
  } catch (const std::system_error& error) {
    // not_enough_memory: the locked memory sufficed for the ring of choose_engine()'s probe, but not for a ring on each
    // worker.
    if (engine_ != IoEngine::uring || error.code() != std::errc::not_enough_memory) throw;
    if (options.io == IoEngine::uring) throw refusal(error.code());
    engine_ = fall_back_to_epoll(error.code(), *options.log);
    scheduler_ = make_scheduler(options, engine_);
  }
  scheduler_->on_rescue_obstacle([log = options.log](const std::string& reason) {
    log->write(LogLevel::warning,
               "workers that compute cannot be interrupted, so the rescue of their connections costs more; choose "
               "another signal with runtime.rescue_signal",
               {{"reason", reason}});
  });
  const auto period = trace_period(options);
  if (period.count() > 0) schedtrace_ = std::make_unique<Schedtrace>(*scheduler_, period);
  trace_file_ = TraceFile::start(*this);
}

Runtime::~Runtime() {
  scheduler_->require_stoppable();
  schedtrace_.reset();
  static_cast<void>(end_tasks(std::chrono::nanoseconds::max()));
  trace_file_.reset();
  scheduler_->stop();
  scheduler_.release()->drop();
}

std::uint32_t Runtime::worker_count() const noexcept { return scheduler_->worker_count(); }
std::uint32_t Runtime::worker_slots() const noexcept { return scheduler_->worker_slots(); }
Log& Runtime::log() noexcept { return scheduler_->log(); }
std::shared_ptr<Log> Runtime::shared_log() const noexcept { return scheduler_->shared_log(); }
RuntimeMetrics Runtime::metrics() const {
  RuntimeMetrics metrics = scheduler_->metrics();
  metrics.throttled_ns = sched::throttled_ns();
  return metrics;
}
TaskReport Runtime::tasks(std::size_t count_max) const { return scheduler_->tasks(count_max); }

TaskReport Runtime::tasks_with_awaits(std::size_t count_max) const { return scheduler_->tasks(count_max, true); }
void Runtime::on_stall(std::function<void(const Stall&)> observer) {
  if (!observer) return scheduler_->watchdog().on_stall(nullptr);
  scheduler_->watchdog().on_stall([observer = std::move(observer), log = &log()](const Stall& stall) {
    try {
      observer(stall);
    } catch (...) {  // decided: it is logged, and the watchdog continues
      const ExceptionText text(std::current_exception());
      log->write(LogLevel::error, "the on_stall observer threw an exception",
                 {{"error", text.message()}, {"type", text.type()}});
    }
  });
}
void Runtime::advance_clock(std::chrono::nanoseconds duration) { scheduler_->clock().advance(*scheduler_, duration); }

bool Runtime::end_tasks(std::chrono::nanoseconds limit) noexcept {
  return scheduler_->end_tasks(limit, [this](std::chrono::nanoseconds waited) { report_wait(*scheduler_, waited); });
}

void Runtime::wait_for(sched::TaskHeader& task) {
  VOLT_REQUIRE(
      sched::current() == nullptr,
      "block_on() was called in a task, and would block the worker that has to run the coroutine: co_await the "
      "coroutine instead, or call block_on() in blocking()");
  class ThreadWaits final : public sched::DoneHook {
   public:
    void task_done(sched::TaskHeader&) noexcept override {
      const std::scoped_lock lock(mutex_);
      done_ = true;
      changed_.notify_one();  // under the lock: the waiter destroys this as soon as it sees done_
    }
    void wait() {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return done_; });
    }

   private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false;
  } waits;
  task.on_done = &waits;
  VOLT_CHECK(task.state.start_join() == sched::TaskState::Join::waiting);  // not started yet
  scheduler().start(task);
  waits.wait();
}

}  // namespace volt
