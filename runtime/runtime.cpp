// SPDX-License-Identifier: MIT

#include "runtime/runtime.h"

#include <chrono>
#include <cstdlib>
#include <string>
#include <system_error>
#include <thread>

#include "runtime/io/reactor.h"
#include "runtime/log.h"
#include "runtime/resolve.h"
#include "runtime/sched/scheduler.h"

namespace volt {
namespace {

constexpr const char* kTraceVariable = "VOLT_SCHEDTRACE";

// Returns why io_uring is not available and how to enable it.
std::string cause_of(std::error_code error) {
  if (error == std::errc::not_enough_memory) {
    return "io_uring needs more locked memory than the limit that all processes of this user share: raise memlock "
           "(ulimit -l, docker run --ulimit memlock=, LimitMEMLOCK= of systemd).";
  }
  if (error == std::errc::function_not_supported || error == std::errc::invalid_argument) {
    return "The kernel is too old: io_uring needs Linux 5.19 or later; 6.1 or later is recommended.";
  }
  if (error == std::errc::operation_not_permitted || error == std::errc::permission_denied) {
    return "The sandbox or the system forbids io_uring: in a container, allow it with a seccomp profile that permits "
           "io_uring_setup, io_uring_enter and io_uring_register; see also kernel.io_uring_disabled.";
  }
  return "";
}

std::string append_cause(std::string text, std::error_code error) {
  const std::string cause = cause_of(error);
  return cause.empty() ? text : text + " " + cause;
}

// Logs one line: that epoll is used, why, and how to enable io_uring.
IoEngine fall_back_to_epoll(std::error_code why, Log& log) {
  log.write(LogLevel::warning, append_cause("io_uring is not available here, using epoll.", why),
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
      scheduler_.log().write(LogLevel::info, schedtrace_line(scheduler_.metrics(), uptime_ms));
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
  if (!options.log) options.log = std::make_shared<Log>();
  if (!options.resolver) options.resolver = std::make_shared<Resolver>();
  engine_ = choose_engine(options.io, *options.log);
  if (options.workers == 0) options.workers = usable_processors();
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
  const auto period = trace_period(options);
  if (period.count() > 0) schedtrace_ = std::make_unique<Schedtrace>(*scheduler_, period);
}

Runtime::~Runtime() {
  schedtrace_.reset();
  scheduler_->stop();
}

std::uint32_t Runtime::worker_count() const noexcept { return scheduler_->worker_count(); }
std::uint32_t Runtime::worker_slots() const noexcept { return scheduler_->worker_slots(); }
Log& Runtime::log() noexcept { return scheduler_->log(); }
std::shared_ptr<Log> Runtime::shared_log() const noexcept { return scheduler_->shared_log(); }
RuntimeMetrics Runtime::metrics() const { return scheduler_->metrics(); }
TaskReport Runtime::tasks(std::size_t count_max) const { return scheduler_->tasks(count_max); }
void Runtime::on_stall(std::function<void(const Stall&)> observer) {
  scheduler_->watchdog().on_stall(std::move(observer));
}
void Runtime::advance_clock(std::chrono::nanoseconds duration) { scheduler_->clock().advance(*scheduler_, duration); }

void Runtime::wait_for(sched::TaskHeader& task) {
  VOLT_CHECK(sched::current() == nullptr);  // a worker that blocks here would wait for itself
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
