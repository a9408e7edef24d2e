// SPDX-License-Identifier: MIT

// Generator<T>: a coroutine that yields a sequence of values and may await between them.
//
//   Generator<Row> rows(State<Db> db, Query query) {
//     Cursor cursor = co_await db->open(query);
//     while (auto row = co_await cursor.fetch()) co_yield std::move(*row);
//   }
//
//   Generator<Row> all = rows(db, query);
//   while (std::optional<Row> row = co_await all.next()) use(*row);
//
// The coroutine runs in the task that awaits next(), only during that await, and only to its next co_yield: the work
// for the following value is done when that value is requested. next() rethrows an exception of the coroutine; after
// that the generator is done.
//
// Destroying a generator before its end destroys the coroutine at its co_yield, together with the coroutine's locals.
// The coroutine cannot be suspended in another await then, because it runs only while next() is awaited.
//
// Threads: one task at a time. Lifetime: arguments taken by reference must live as long as the generator.
// Cancellation: cancelling the task that awaits next() reaches the await that the coroutine is suspended in, and
// unwinds the coroutine.
// Memory: one frame from the worker's pool, which the generator must not outlive.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "runtime/base/check.h"
#include "runtime/coro/promise.h"

namespace volt {

template <class T>
class [[nodiscard]] Generator {
 public:
  class promise_type : public coro::Awaited {
   public:
    static void* operator new(std::size_t bytes) { return coro::allocate_for<T>(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept { coro::free_for<T>(frame, bytes); }

    // Suspends the coroutine and resumes the coroutine that awaits next().
    struct Pause {
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> paused) const noexcept {
        return paused.promise().awaiter_;
      }
      void await_resume() const noexcept {}
    };

    Generator get_return_object() noexcept { return Generator(Handle::from_promise(*this)); }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] Pause final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() noexcept { error_ = std::current_exception(); }

    template <class Value>
      requires std::is_constructible_v<T, Value&&>
    [[nodiscard]] Pause yield_value(Value&& value) {
      value_.emplace(std::forward<Value>(value));
      return {};
    }

   private:
    friend class Generator;
    std::exception_ptr error_;
    std::optional<T> value_;
  };

  Generator(Generator&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Generator& operator=(Generator&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Generator() {
    if (coroutine_) coroutine_.destroy();
  }

  // Awaited: returns the next value; nullopt when the coroutine has ended. Must not be called while another next() is
  // awaited.
  [[nodiscard]] auto next() noexcept {
    VOLT_REQUIRE(coroutine_, "next() of a Generator was called after it was moved from: use the one it was moved to");
    struct Next {
      Handle coroutine;
      [[nodiscard]] bool await_ready() const noexcept { return coroutine.done(); }
      std::coroutine_handle<> await_suspend(coro::AwaitPoint consumer) const noexcept {
        coroutine.promise().set_awaiter_point(consumer);
        return coroutine;
      }
      std::optional<T> await_resume() const {
        auto& promise = coroutine.promise();
        if (promise.error_) std::rethrow_exception(std::exchange(promise.error_, nullptr));
        return std::exchange(promise.value_, std::nullopt);
      }
    };
    return Next{coroutine_};
  }
  [[nodiscard]] bool done() const noexcept { return coroutine_.done(); }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit Generator(Handle coroutine) noexcept : coroutine_(coroutine) {}

  Handle coroutine_;
};

}  // namespace volt
