// SPDX-License-Identifier: MIT

// OnceCell: a value that a coroutine creates once, when it is first requested.
//
//   OnceCell<Schema> schema;
//   const Schema& known = co_await schema.get_or_init([&] { return load_schema(db); });
//
// If several tasks request the value at once, one of them creates it and the others wait for it. If the creation throws
// or is cancelled, the creating task gets that exception, and the next waiting task runs its own callable.
//
// Threads: get_or_init() is awaited in tasks; get() and set() may be called from any thread.
// Fairness and cancellation while another task creates the value: those of Mutex. The callable runs in the requesting
// task, so a cancel of that task reaches it. Requesting a value that exists is one load and not a cancellation point. A
// callable that requests its own cell waits for itself and never returns.
// Memory: the value and 40 bytes. Requesting a value that exists allocates nothing; waiting for it takes one frame of
// the pool.
// Lifetime: the callable lives until the await ends; references to the value are valid as long as the cell.
//
// Edges
//   O1  set_'s release when the value is created  ->  get()'s acquire : the value
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "runtime/base/atomic.h"
#include "runtime/mutex.h"
#include "runtime/task.h"

namespace volt {

template <class T>
class OnceCell {
 public:
  OnceCell() = default;
  OnceCell(const OnceCell&) = delete;
  OnceCell& operator=(const OnceCell&) = delete;

  // Returns the value; null if it was not created yet.
  [[nodiscard]] const T* get() const noexcept {
    return set_.load(base::acquire) ? &*value_ : nullptr;  // O1
  }

  // Awaited: returns the value. If there is none, calls `make()` and awaits the task it returns, which creates the
  // value.
  template <class Make>
  [[nodiscard]] auto get_or_init(Make make) {
    return Getting<Make>(*this, std::move(make));
  }

  // Sets the value and returns true. Returns false and leaves `value` unchanged if there is a value or one is being
  // created.
  [[nodiscard]] bool set(T&& value) {
    const std::optional<Mutex::Guard> turn = making_.try_lock();
    if (!turn || get() != nullptr) return false;
    emplace(std::move(value));
    return true;
  }

 private:
  template <class Make>
  class Getting {
   public:
    Getting(OnceCell& cell, Make&& make) : cell_(cell), make_(std::move(make)) {}

    [[nodiscard]] bool await_ready() const noexcept { return cell_.get() != nullptr; }
    [[nodiscard]] std::coroutine_handle<> await_suspend(coro::AwaitPoint point) {
      making_.emplace(cell_.wait_or_make(make_));
      return std::move(*making_).operator co_await().await_suspend(point);
    }
    const T& await_resume() {
      if (making_) std::move(*making_).operator co_await().await_resume();
      return *cell_.get();
    }

   private:
    OnceCell& cell_;
    Make make_;
    std::optional<Task<>> making_;
  };

  template <class Make>
  Task<> wait_or_make(Make& make) {
    const Mutex::Guard turn = co_await making_.lock();
    if (get() != nullptr) co_return;
    emplace(co_await make());
  }

  void emplace(T&& value) {
    value_.emplace(std::move(value));
    set_.store(true, base::release);  // O1
  }

  base::Atomic<bool> set_{false};
  Mutex making_;
  std::optional<T> value_;
};

}  // namespace volt
