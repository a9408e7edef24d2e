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

  // If nothing else refers to the task, no handle can take the value, and it is destroyed here with the frame, not with
  // the task: a task that has ended may outlive what its value refers to, because Runtime::end_tasks() does not wait
  // for it. If something refers to the task for a moment, such as cancel_all(), the value is destroyed with the task.
  void collect() noexcept override {
    auto coroutine = Handle::from_address(root.address());
    std::exception_ptr ended_by = coroutine.promise().take_error();
    if constexpr (!std::is_void_v<T>) {
      try {
        if (!ended_by && !state.sole_reference()) value_.emplace(std::move(*coroutine.promise().value()));
      } catch (...) {  // decided: a value that cannot be moved out fails the task, as if the coroutine had thrown
        ended_by = std::current_exception();
      }
    }
    coroutine.destroy();
    set_error(std::move(ended_by));
  }

  // Destroys the task instead of starting it. No other thread may know the task.
  void discard() noexcept {
    root.destroy();
    set_error(nullptr);
    destroy();
  }

  // Returns the value, or throws the exception that ended the task. May be called once, after the task is done.
  T take() {
    VOLT_REQUIRE(!value_taken, "a JoinHandle was awaited twice: await it once, and keep the result");
    value_taken = true;
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

 private:
  void destroy() noexcept override {
    if (error && reports_failure) [[unlikely]]
      report_failure(*this, error);
    delete this;
  }

  [[no_unique_address]] std::conditional_t<std::is_void_v<T>, NoValue, std::optional<T>> value_;
};

}  // namespace volt::sched
