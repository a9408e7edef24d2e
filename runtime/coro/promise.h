// SPDX-License-Identifier: MIT

// The promise of Task<T>: lazy start, one awaiter, symmetric transfer, frames allocated in the worker's pool.
#pragma once

#include "runtime/base/compiler.h"  // first, so that its message is the first

#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

namespace volt {
template <class T>
class Task;
}

namespace volt::sched {
struct DebuggerLayout;
}

namespace volt::coro {

// Allocate and free the memory of a coroutine frame or of a task header, which comes from the pool of the calling
// worker; on other threads, from the pool that these share. Defined by the scheduler, which owns the pools. Must not be
// inlined, for the reason at sched::current().
[[nodiscard, gnu::noinline]] void* allocate_frame(std::size_t bytes);
[[gnu::noinline]] void free_frame(void* frame, std::size_t bytes) noexcept;

inline constexpr std::size_t kFrameAlignment = 16;

// As above, for a frame or a header that contains a T, which may be aligned more strictly.
template <class T>
[[nodiscard]] void* allocate_for(std::size_t bytes) {
  if constexpr (alignof(T) <= kFrameAlignment) return allocate_frame(bytes);
  return ::operator new(bytes, std::align_val_t{alignof(T)});
}
template <class T>
void free_for(void* memory, std::size_t bytes) noexcept {
  if constexpr (alignof(T) <= kFrameAlignment) return free_frame(memory, bytes);
  ::operator delete(memory, std::align_val_t{alignof(T)});
}

class Awaited;

// A suspended coroutine, and the place of the co_await that it is suspended in. A report follows AwaitPoints from the
// coroutine in which a task is suspended to the one with which the task began (runtime/sched/await_chain.h).
//
// An awaiter takes an AwaitPoint in place of the handle: `void await_suspend(coro::AwaitPoint point)`. The compiler
// converts the handle at the co_await, so the default argument is the place of the co_await. It is the address of a
// constant: an await that suspends stores one word more for it.
//
// Threads: an AwaitPoint belongs to the thread that holds its task active (runtime/sched/task_state.h).
struct AwaitPoint {
  AwaitPoint() = default;
  // Implicit, for the compiler's calls of await_suspend().
  template <class Promise>
  AwaitPoint(std::coroutine_handle<Promise> suspended,
             std::source_location await = std::source_location::current()) noexcept
      : frame(suspended) {
    if constexpr (std::is_base_of_v<Awaited, Promise>) {
      if (alignof(Promise) <= 2 * sizeof(void*)) at = await;
    }
  }

  std::coroutine_handle<> frame;
  std::source_location at;  // line() is 0 if Awaited::awaiter_of(frame) must not be called
};

// The first base of a promise whose coroutine another coroutine awaits.
class Awaited {
 public:
  // Returns the coroutine that awaits `coroutine`, whose promise must derive from Awaited. `coroutine` must be
  // suspended, and must not have ended.
  [[nodiscard]] static AwaitPoint awaiter_of(std::coroutine_handle<> coroutine) noexcept {
    const Awaited& awaited = std::coroutine_handle<Awaited>::from_address(coroutine.address()).promise();
    AwaitPoint point;
    point.frame = awaited.awaiter_;
    point.at = awaited.awaited_at_;
    return point;
  }

 protected:
  Awaited() noexcept : awaited_at_() {}
  ~Awaited() {}  // take_error() ends the life of ended_by_
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;

  void set_awaiter_point(AwaitPoint awaiter) noexcept {
    awaiter_ = awaiter.frame;
    awaited_at_ = awaiter.at;
  }

  std::coroutine_handle<> awaiter_;  // null until the coroutine is started
  // No reader of chains follows a coroutine that has ended, so the place is of no use then. Every frame is smaller by a
  // word that way.
  union {
    std::source_location awaited_at_;  // where it is awaited; until the coroutine has ended
    std::exception_ptr ended_by_;      // what ended it; from then on
  };

 private:
  friend struct sched::DebuggerLayout;
};

class PromiseBase : public Awaited {
 public:
  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { free_frame(frame, bytes); }

  struct FinalAwaiter {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
      return finished.promise().awaiter_;
    }
    void await_resume() const noexcept {}
  };

  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { std::construct_at(&ended_by_, std::current_exception()); }

  // Sets the coroutine that is resumed at the end. Returns false, and does nothing, if there is one already.
  [[nodiscard]] bool set_awaiter(AwaitPoint awaiter) noexcept {
    if (awaiter_) return false;
    set_awaiter_point(awaiter);
    return true;
  }
  // Makes the coroutine one at whose end no other is resumed: the root of a spawned task.
  void make_root() noexcept { awaiter_ = std::noop_coroutine(); }
  // Returns the exception that ended the coroutine, or null. Must be called once after the end of the coroutine, and
  // before it is destroyed.
  [[nodiscard]] std::exception_ptr take_error() noexcept {
    std::exception_ptr taken = std::move(ended_by_);
    std::destroy_at(&ended_by_);
    return taken;
  }

 protected:
  void end_without_error() noexcept { std::construct_at(&ended_by_); }
};

template <class T>
class Promise : public PromiseBase {
 public:
  static void* operator new(std::size_t bytes) { return allocate_for<T>(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { free_for<T>(frame, bytes); }

  Task<T> get_return_object() noexcept;  // defined in runtime/task.h

  template <class Value>
    requires std::is_constructible_v<T, Value&&>
  void return_value(Value&& value) {
    value_.emplace(std::forward<Value>(value));
    end_without_error();
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
  void return_void() noexcept { end_without_error(); }

  void take() {
    if (std::exception_ptr error = take_error()) std::rethrow_exception(std::move(error));
  }
};

}  // namespace volt::coro
