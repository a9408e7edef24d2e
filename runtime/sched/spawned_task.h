// SpawnedTask<T>: a task header with the outcome of its coroutine. One allocation from the frame pool.
#pragma once

#include <exception>
#include <optional>
#include <utility>

#include "runtime/coro/frame_pool.h"
#include "runtime/coro/promise.h"
#include "runtime/sched/task_header.h"

namespace volt::sched {

// What stands for a value where there is none.
struct NoValue {};
template <class T>
using ValueOf = std::conditional_t<std::is_void_v<T>, NoValue, T>;

template <class T>
class SpawnedTask final : public TaskHeader {
 public:
  using Handle = std::coroutine_handle<coro::Promise<T>>;

  // Takes over the coroutine. `references` counts the scheduler's and the holders' to come.
  SpawnedTask(Scheduler& home_scheduler, Handle coroutine, std::uint32_t references) noexcept
      : TaskHeader(home_scheduler, coroutine, references) {}

  static void* operator new(std::size_t bytes) {
    return coro::FramePool::allocate_from(coro::current_frame_pool(), bytes);
  }
  static void operator delete(void* block) noexcept { coro::FramePool::deallocate(block, coro::current_frame_pool()); }

  void collect() noexcept override {
    auto coroutine = Handle::from_address(root.address());
    error_ = coroutine.promise().take_error();
    if constexpr (!std::is_void_v<T>) {
      if (!error_) value_.emplace(std::move(*coroutine.promise().value()));
    }
    coroutine.destroy();
    root = nullptr;
  }

  // Instead of a start: the task was never anybody's but the caller's.
  void discard() noexcept {
    root.destroy();
    destroy();
  }

  [[nodiscard]] bool failed() const noexcept override { return error_ != nullptr; }

  // The exception that ended the task, if one did. After it is done.
  void rethrow() {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  // The value, or the exception that ended the task. Once, after it is done.
  T take() {
    rethrow();
    if constexpr (!std::is_void_v<T>) return std::move(*value_);
  }

 private:
  void destroy() noexcept override { delete this; }

  std::exception_ptr error_;
  [[no_unique_address]] std::conditional_t<std::is_void_v<T>, NoValue, std::optional<T>> value_;
};

}  // namespace volt::sched
