// SPDX-License-Identifier: MIT

// blocking() runs a callable that may block on a thread of the blocking pool. block_in_place() runs one on the calling
// thread.
//
//   const std::string text = co_await blocking([path] { return read_file(path); });
//   const std::string text = block_in_place([&] { return read_file(path); });  // also in a plain function
//
// The callable lives in the awaiting frame, so it may capture by reference.
// Cancellation: a callable that is still queued is removed from the queue. A callable that has started runs to its end,
// and the await returns its value. So nothing keeps running after the task has continued. A second callable can make
// the first one return early:
//
//   base::Atomic<bool> stop = false;
//   co_await blocking([&] { compress(file, stop); }, [&]() noexcept { stop.store(true, base::relaxed); });
//
// Errors: throws std::system_error (resource_unavailable_try_again) if the queue of the blocking pool is full.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "runtime/sched/blocking_job.h"
#include "runtime/sched/spawned_task.h"
#include "runtime/sched/suspension.h"

namespace volt {
namespace sched {

// The wait for a call on a thread of the blocking pool.
class BlockingWait : public Suspension, public BlockingJob {
 public:
  [[nodiscard]] bool await_ready() noexcept { return begin(); }
  [[nodiscard]] bool await_suspend(coro::AwaitPoint point) noexcept;
  [[nodiscard]] bool cancel() noexcept override;

 protected:
  ~BlockingWait() = default;

  // Throws Cancelled if the call was cancelled while it was queued, and std::system_error if the pool refused the call.
  void throw_if_not_called() const;

 private:
  bool refused_ = false;
};

// A call that returns the value of `F`, or throws its exception, in the awaiting task.
template <class F>
class BlockingCall : public BlockingWait {
 public:
  using T = std::invoke_result_t<F&>;

  explicit BlockingCall(F function) : function_(std::move(function)) {}

  T await_resume() {
    throw_if_not_called();
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

 protected:
  ~BlockingCall() = default;

 private:
  F function_;
  std::exception_ptr error_;
  [[no_unique_address]] std::conditional_t<std::is_void_v<T>, NoValue, std::optional<ValueOf<T>>> value_;
};

template <class F>
class Blocking final : public BlockingCall<F> {
 public:
  using BlockingCall<F>::BlockingCall;
};

template <class F, class Interrupt>
class InterruptibleBlocking final : public BlockingCall<F> {
 public:
  InterruptibleBlocking(F function, Interrupt interrupt)
      : BlockingCall<F>(std::move(function)), interrupt_(std::move(interrupt)) {}

  // The task cannot continue, and destroy this object, until this function has returned.
  [[nodiscard]] bool cancel() noexcept override {
    if (BlockingWait::cancel()) return true;
    if (!std::exchange(interrupted_, true)) interrupt_();
    return false;
  }

 private:
  Interrupt interrupt_;
  bool interrupted_ = false;
};

// While this object exists, other workers take over the tasks, descriptors and timers of the calling worker, if they
// can.
class BlockingInPlace {
 public:
  BlockingInPlace() noexcept;
  ~BlockingInPlace() {
    if (worker_ != nullptr) end();
  }
  BlockingInPlace(const BlockingInPlace&) = delete;
  BlockingInPlace& operator=(const BlockingInPlace&) = delete;

 private:
  void end() noexcept;

  Worker* const worker_;  // null if no other worker can take over
};

}  // namespace sched

template <class F>
[[nodiscard]] auto blocking(F function) {
  return sched::Blocking<F>(std::move(function));
}
// If the awaiting task is cancelled after `function` was taken from the queue, `interrupt` is called once, on any
// thread, before, during or just after the run of `function`; the await ends when `function` returns. `interrupt` must
// not throw and must not block.
template <class F, class Interrupt>
  requires std::is_nothrow_invocable_v<Interrupt&>
[[nodiscard]] auto blocking(F function, Interrupt interrupt) {
  return sched::InterruptibleBlocking<F, Interrupt>(std::move(function), std::move(interrupt));
}

// Calls `function` on this thread, in the calling task; returns its value or throws its exception. During the call,
// other workers run the tasks that are queued on this worker and take over its descriptors and timers. Queued tasks
// continue at once; new events are served within about a millisecond.
// No thread is created for the call, so it costs less than blocking(). If all workers block, spare workers take over
// (RuntimeOptions::spare_workers_max). block_in_place() is a plain call if there is neither another worker nor a spare
// worker, and if rescue or stealing is disabled. Tasks of spawn_local() on this worker are not moved: they wait until
// the call returns.
// Must be called in a task. Cancellation: a cancel takes effect after `function` has returned.
template <class F>
decltype(auto) block_in_place(F&& function) {
  const sched::BlockingInPlace blocking_in_place;
  return std::forward<F>(function)();
}

}  // namespace volt
