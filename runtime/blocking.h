// blocking() runs a callable that may block on a thread of the blocking pool. block_in_place() runs one on the calling
// thread.
//
//   const std::string text = co_await blocking([path] { return read_file(path); });
//   const std::string text = block_in_place([&] { return read_file(path); });  // also in a plain function
//
// The callable lives in the awaiting frame, so it may capture by reference.
// Cancellation: a callable that is still queued is removed from the queue. One that has started is awaited to its end
// and its value is returned, so that nothing keeps running after the task has continued.
// Errors: throws std::system_error (resource_unavailable_try_again) if the queue of the blocking pool is full.
#pragma once

#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "runtime/sched/scheduler.h"
#include "runtime/sched/spawned_task.h"
#include "runtime/sched/suspension.h"

namespace volt {
namespace sched {

template <class F>
class Blocking final : public Suspension, public BlockingJob {
 public:
  using T = std::invoke_result_t<F&>;

  explicit Blocking(F function) : function_(std::move(function)) {}

  [[nodiscard]] bool await_ready() noexcept { return begin(); }

  [[nodiscard]] bool await_suspend(std::coroutine_handle<> frame) noexcept {
    suspend_at(frame, WaitsFor::blocking);
    refused_ = !current()->worker->scheduler().blocking_pool().submit(*this);
    return !refused_;
  }

  T await_resume() {
    throw_if_cancelled();
    if (refused_) throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again), "blocking");
    if (error_) std::rethrow_exception(error_);
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

  void run() noexcept override {
    try {
      if constexpr (std::is_void_v<T>) {
        function_();
      } else {
        value_.emplace(function_());
      }
    } catch (...) {  // decided: rethrown to the awaiting task
      error_ = std::current_exception();
    }
    wake(*task);
  }

  bool cancel() noexcept override {
    if (!current_scheduler().blocking_pool().withdraw(*this)) return false;
    set_cancelled();
    return true;
  }

 private:
  [[nodiscard]] Scheduler& current_scheduler() const noexcept { return *task->scheduler; }

  F function_;
  bool refused_ = false;
  std::exception_ptr error_;
  [[no_unique_address]] std::conditional_t<std::is_void_v<T>, NoValue, std::optional<ValueOf<T>>> value_;
};

// While this object exists, other workers take over the duties of the calling worker.
class BlockingInPlace {
 public:
  BlockingInPlace() noexcept : worker_(*current()->worker), said_(worker_.begin_blocking()) {}
  ~BlockingInPlace() {
    if (said_) worker_.end_blocking();
  }
  BlockingInPlace(const BlockingInPlace&) = delete;
  BlockingInPlace& operator=(const BlockingInPlace&) = delete;

 private:
  Worker& worker_;
  const bool said_;
};

}  // namespace sched

template <class F>
[[nodiscard]] auto blocking(F function) {
  return sched::Blocking<F>(std::move(function));
}

// Calls `function` on this thread, in the calling task; returns its value or throws its exception. During the call,
// other workers run the tasks that are queued on this worker and take over its descriptors and timers: queued tasks
// continue at once, new events are served within about a millisecond.
// No thread is created for the call, so it costs less than blocking(). A runtime whose workers all block makes no
// progress until one of them returns. With one worker, or without rescue or stealing, block_in_place() is a plain call.
// Tasks of spawn_local() on this worker are not moved: they wait until the call returns.
// A worker that has descriptors is interrupted by SIGURG from time to time: system calls that are never restarted
// (poll, epoll_wait, nanosleep; signal(7)) return EINTR.
// Must be called in a task. Cancellation: a cancel takes effect after `function` has returned.
template <class F>
decltype(auto) block_in_place(F&& function) {
  const sched::BlockingInPlace blocking_in_place;
  return std::forward<F>(function)();
}

}  // namespace volt
