// SPDX-License-Identifier: MIT

// SpawnedTask<T>: a task header together with the outcome of its coroutine. One allocation from the frame pool.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/coro/promise.h"
#include "runtime/sched/task_header.h"

namespace volt::sched {

// Stands for the value of a task without a value.
struct NoValue {};
template <class T>
using ValueOf = std::conditional_t<std::is_void_v<T>, NoValue, T>;

template <class T>
class SpawnedTask final : public TaskHeader {
 public:
  using Handle = std::coroutine_handle<coro::Promise<T>>;

  // Takes ownership of the coroutine. `references` counts the scheduler's reference and those of the future holders.
  SpawnedTask(Scheduler& home_scheduler, Handle coroutine, std::uint32_t references) noexcept
      : TaskHeader(home_scheduler, coroutine, references) {}

  static void* operator new(std::size_t bytes) { return coro::allocate_for<ValueOf<T>>(bytes); }
  static void operator delete(void* block, std::size_t bytes) noexcept { coro::free_for<ValueOf<T>>(block, bytes); }

  void collect() noexcept override {
    auto coroutine = Handle::from_address(root.address());
    error_ = coroutine.promise().take_error();
    if constexpr (!std::is_void_v<T>) {
      try {
        if (!error_) value_.emplace(std::move(*coroutine.promise().value()));
      } catch (...) {  // decided: a value that cannot be moved out fails the task, as if the coroutine had thrown
        error_ = std::current_exception();
      }
    }
    coroutine.destroy();
    root = nullptr;
  }

  // Destroys the task instead of starting it. No other thread may know the task.
  void discard() noexcept {
    root.destroy();
    destroy();
  }

  [[nodiscard]] bool failed() const noexcept override { return error_ != nullptr; }

  // Throws the exception that ended the task, if one did. Must be called after the task is done.
  void rethrow() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  // Returns the value, or throws the exception that ended the task. May be called once, after the task is done.
  T take() {
    VOLT_REQUIRE(!std::exchange(taken_, true), "a JoinHandle was awaited twice: await it once, and keep the result");
    rethrow();
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

 private:
  void destroy() noexcept override {
    if (error_ && reports_failure) [[unlikely]]
      report_failure(*this, error_);
    delete this;
  }

  bool taken_ = false;
  std::exception_ptr error_;
  [[no_unique_address]] std::conditional_t<std::is_void_v<T>, NoValue, std::optional<T>> value_;
};

}  // namespace volt::sched
