// SPDX-License-Identifier: MIT

// Task<T>: a coroutine that runs when it is awaited.
//
// Calling the coroutine only creates its frame. Awaiting it runs it in the awaiting task, on the task's current worker,
// and returns its value or throws its exception. A Task is awaited by one awaiter, once. Parameters taken by reference
// must live until the await ends; they do if the Task is awaited where it is created. clang finds Tasks that are kept
// longer than their parameters if VOLT_CHECK_LIFETIMES is defined (docs/tasks.md). A spawned coroutine
// (runtime/spawn.h) owns its parameters.
//
// Lifetime: a Task that was never awaited destroys its frame. Threads: after any co_await the coroutine may be on
// another thread.
#pragma once

#include <concepts>
#include <coroutine>
#include <type_traits>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/coro/promise.h"
#include "runtime/sched/suspension.h"

// clang 19 and g++ 15 print the reason of a deleted function, as an extension in C++23.
#ifdef __cpp_deleted_function
#define VOLT_DELETED(reason) delete (reason)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wc++26-extensions"
#else
#define VOLT_DELETED(reason) delete
#endif

namespace volt {

template <class T = void>
class [[nodiscard("a Task runs only while it is awaited: write co_await before the call")]] VOLT_COROUTINE_RESULT Task {
 public:
  using promise_type = coro::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task(Task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Task() {
    if (coroutine_) coroutine_.destroy();
  }
  // For the sentence: this is what `return value;` calls in a function that is meant to be a coroutine.
  template <class Value>
    requires(!std::same_as<std::remove_cvref_t<Value>, Task> && std::convertible_to<Value, T>)
  Task(Value&&) = VOLT_DELETED("a function that returns a Task is a coroutine: write co_return instead of return");

  auto operator co_await() && noexcept {
    struct Awaiter {
      Handle coroutine;
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(coro::AwaitPoint awaiting) const noexcept {
        VOLT_REQUIRE(
            coroutine && coroutine.promise().set_awaiter(awaiting),
            "a Task was awaited twice, or after it was moved from: await each Task once, and call the coroutine "
            "again for another run");
        return coroutine;
      }
      T await_resume() const { return coroutine.promise().take(); }
    };
    return Awaiter{coroutine_};
  }
  auto operator co_await() const& noexcept {
    static_assert(false, "await a Task once, with std::move: co_await std::move(task)");
    return std::move(const_cast<Task&>(*this)).operator co_await();
  }

  // Makes the coroutine the root of a task, and returns it. This object keeps its ownership.
  [[nodiscard]] Handle make_root() noexcept {
    coroutine_.promise().make_root();
    return coroutine_;
  }
  // Releases ownership of the coroutine, for callers that spawn it.
  [[nodiscard]] Handle release() && noexcept {
    static_cast<void>(make_root());
    return std::exchange(coroutine_, nullptr);
  }

 private:
  friend promise_type;
  explicit Task(Handle coroutine) noexcept : coroutine_(coroutine) {}

  Handle coroutine_;
};

template <class T>
Task<T> coro::Promise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}

inline Task<void> coro::Promise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

#ifdef __cpp_deleted_function
#pragma GCC diagnostic pop
#endif
#undef VOLT_DELETED

// Returns an awaitable that lets every other runnable task of this worker run first.
[[nodiscard]] inline auto yield() noexcept {
  class Yield final : public sched::Suspension {
   public:
    [[nodiscard]] bool await_ready() noexcept { return begin(); }
    void await_suspend(coro::AwaitPoint point) noexcept { yield_at(point); }
    void await_resume() {
      recheck_cancelled();
      throw_if_cancelled();
    }
    [[nodiscard]] bool cancel() noexcept override { return false; }  // the task is queued, and sees it when it runs
  };
  return Yield{};
}

}  // namespace volt
