// Task<T>: a coroutine that runs when it is awaited.
//
// Lazy: calling the coroutine only makes its frame; awaiting it runs it in the awaiting task, on whichever worker that
// is on, and gives its value or throws what it threw. One awaiter, once. Parameters taken by reference must live until
// the await ends, which they do when a task is awaited where it is made; what is spawned (runtime/spawn.h) owns its
// parameters.
//
// Lifetime: a Task that was never awaited destroys its frame. After any co_await the coroutine may be on another
// thread.
#pragma once

#include <coroutine>
#include <utility>

#include "runtime/coro/promise.h"
#include "runtime/sched/suspension.h"

namespace volt {

template <class T = void>
class [[nodiscard]] Task {
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

  auto operator co_await() && noexcept {
    struct Awaiter {
      Handle coroutine;
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) const noexcept {
        coroutine.promise().set_continuation(awaiting);
        return coroutine;
      }
      T await_resume() const { return coroutine.promise().take(); }
    };
    return Awaiter{coroutine_};
  }

  // The coroutine, given up by the task: for whoever spawns it.
  [[nodiscard]] Handle release() && noexcept { return std::exchange(coroutine_, nullptr); }

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

// Lets every other runnable task of this worker run first.
[[nodiscard]] inline auto yield() noexcept {
  class Yield final : public sched::Suspension {
   public:
    [[nodiscard]] bool await_ready() noexcept { return begin(); }
    void await_suspend(std::coroutine_handle<> frame) noexcept { yield_at(frame); }
    void await_resume() const { throw_if_cancelled(); }
    [[nodiscard]] bool cancel() noexcept override { return false; }  // never suspended for long
  };
  return Yield{};
}

}  // namespace volt
