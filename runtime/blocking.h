// blocking: a callable that may block, on a thread made for that. block_in_place: one that blocks where it is.
//
//   const std::string text = co_await blocking([path] { return read_file(path); });
//   const std::string text = block_in_place([&] { return read_file(path); });  // also in a plain function
//
// The callable lives in the awaiting frame, so it may capture by reference. Cancelling the task takes a callable that
// has not begun out of the queue; one that has is awaited to its end, and its value given: nothing runs on behind the
// task's back. Throws std::system_error (resource_unavailable_try_again) if the pool's queue is full.
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

// While it lives, the calling worker's duties are others'.
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

// Calls `function` on this thread, in the calling task, and gives what it gives or throws. Meanwhile other workers run
// what is queued here and take over this worker's descriptors and timers: what waits goes on at once, what comes goes
// on within about a millisecond. No thread is made for it, so it costs less than blocking(); but a runtime whose workers
// all block stands still until one is back. With one worker, or without rescue or stealing, this is a plain call.
// Tasks of spawn_local() on this worker do not move: they wait.
// A worker with descriptors is interrupted now and then, by SIGURG: system calls that are never restarted (poll,
// epoll_wait, nanosleep; signal(7)) return EINTR. Called in a task; a cancel waits until it is back.
template <class F>
decltype(auto) block_in_place(F&& function) {
  const sched::BlockingInPlace blocking_in_place;
  return std::forward<F>(function)();
}

}  // namespace volt
