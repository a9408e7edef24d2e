// OnceCell: a value that is made when it is first asked for, once, by a coroutine.
//
//   OnceCell<Schema> schema;
//   const Schema& known = co_await schema.get_or_init([&] { return load_schema(db); });
//
// Of several tasks that ask at once one makes the value; the others wait for it. If the making throws or is cancelled,
// its task gets that, and the next that waits has its turn with its own callable.
//
// Threads: get_or_init() is awaited in tasks; get() and set() from any thread.
// Fairness and cancellation of the wait for another's making: as of a Mutex. The callable runs in the asking task, so a
// cancel reaches it; asking for a value that is there is one load, and no cancellation point. One that asks for the same cell waits for itself, for ever.
// Memory: the value and 40 bytes; asking for a value that is there allocates nothing, waiting for it one frame of the pool.
// Lifetime: the callable lives until the await ends; references to the value as long as the cell.
//
// Edges
//   O1  set_'s release when the value is made  ->  get()'s acquire : the value
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

  // The value, null if it is not made yet.
  [[nodiscard]] const T* get() const noexcept {
    return set_.load(base::acquire) ? &*value_ : nullptr;  // O1
  }

  // Awaited: the value, made by the task that `make()` returns if there is none.
  template <class Make>
  [[nodiscard]] auto get_or_init(Make make) {
    return Getting<Make>(*this, std::move(make));
  }

  // False, and `value` left alone, if there is a value, or one is being made.
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
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<> frame) {
      making_.emplace(cell_.wait_or_make(make_));
      return std::move(*making_).operator co_await().await_suspend(frame);
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
    auto task = make();
    emplace(co_await std::move(task));
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
