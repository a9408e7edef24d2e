// SPDX-License-Identifier: MIT

// The promise of Task<T>: lazy start, one awaiter, symmetric transfer, frames allocated in the worker's pool.
#pragma once

#include "runtime/base/compiler.h"  // first, so that its message is the first

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "runtime/coro/frame_pool.h"

namespace volt {
template <class T>
class Task;
}

namespace volt::sched {
struct DebuggerLayout;
}

namespace volt::coro {

// Returns the pool of the calling worker, or null on other threads. Defined by the scheduler, which owns the pools.
[[nodiscard]] FramePool* current_frame_pool() noexcept;

class PromiseBase {
 public:
  static void* operator new(std::size_t bytes) { return FramePool::allocate_from(current_frame_pool(), bytes); }
  static void operator delete(void* frame) noexcept { FramePool::deallocate(frame, current_frame_pool()); }

  struct FinalAwaiter {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
      return finished.promise().continuation_;
    }
    void await_resume() const noexcept {}
  };

  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error_ = std::current_exception(); }

  // Sets the coroutine that is resumed at the end. Returns false, and does nothing, if there is one already.
  [[nodiscard]] bool set_continuation(std::coroutine_handle<> continuation) noexcept {
    if (continuation_) return false;
    continuation_ = continuation;
    return true;
  }
  // Makes the coroutine one at whose end no other is resumed: the root of a spawned task.
  void make_root() noexcept { continuation_ = std::noop_coroutine(); }
  [[nodiscard]] std::exception_ptr take_error() noexcept { return std::exchange(error_, nullptr); }

 private:
  friend struct sched::DebuggerLayout;

  std::coroutine_handle<> continuation_;  // null: the coroutine has not been started
  std::exception_ptr error_;
};

template <class T>
class Promise : public PromiseBase {
 public:
  Task<T> get_return_object() noexcept;  // defined in runtime/task.h

  template <class Value>
    requires std::is_constructible_v<T, Value&&>
  void return_value(Value&& value) {
    value_.emplace(std::forward<Value>(value));
  }

  // Returns the value, or throws the exception that ended the coroutine.
  T take() {
    if (std::exception_ptr error = take_error()) std::rethrow_exception(std::move(error));
    return std::move(*value_);
  }
  [[nodiscard]] std::optional<T>& value() noexcept { return value_; }

 private:
  std::optional<T> value_;
};

template <>
class Promise<void> : public PromiseBase {
 public:
  Task<void> get_return_object() noexcept;  // defined in runtime/task.h
  void return_void() const noexcept {}

  void take() {
    if (std::exception_ptr error = take_error()) std::rethrow_exception(std::move(error));
  }
};

}  // namespace volt::coro
