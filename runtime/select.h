// SPDX-License-Identifier: MIT

// select: waits for the first of several operations, without losing values.
//
//   auto chosen = co_await select(inbox.receive(), stop.cancelled(), sleep_for(2s));
//   if (chosen.index() == 0) use(std::get<0>(chosen));
//
// Exactly one operation happens; the others have no effect: a receive() that did not win has taken no value, and a
// lock() has not taken the lock. This is the difference from race(), whose callables are separate tasks: a task that
// received a value just before another task won has lost that value. select() takes the awaitables of Mutex, RwLock,
// Semaphore, Notify, channels, oneshots, broadcasts, watches, CancelToken, Interval, sleep_for() and
// WebSocket::message(); for a Task use race().
//
// The result is a variant of the results of the operations' own awaits (sched::NoValue for void); its index identifies
// the operation that happened. If the operation that happened throws when it is awaited alone, select() throws the same
// exception.
//
// Threads: awaited in a task. Lifetime: the operations must live until the await ends, as temporaries do. An operation
// in a variable must not be used again.
// Fairness: operations that are ready are tried in the order in which they are written, so an operation after one that
// is always ready never wins. A waiting operation keeps its place in the queue as if it were awaited alone.
// Cancellation: throws Cancelled, and no operation has happened.
// Memory: 8 bytes for each operation besides the operation itself, in the awaiting frame; nothing is allocated.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "runtime/sched/select_wait.h"
#include "runtime/sched/spawned_task.h"

namespace volt {
namespace sched {

template <class T>
concept Branch = std::is_base_of_v<Suspension, T> && requires(T operation) {
  { operation.start_branch() } -> std::same_as<bool>;
  operation.leave();
  operation.await_resume();
};

template <Branch... Operations>
class Select final : public SelectWait {
 public:
  using Chosen = std::variant<ValueOf<decltype(std::declval<Operations&>().await_resume())>...>;

  explicit Select(Operations&... operations) noexcept : operations_(operations...) {}

  [[nodiscard]] bool await_ready() noexcept { return begin(); }

  [[nodiscard]] bool await_suspend(coro::AwaitPoint point) noexcept {
    suspend_at(point, WaitsFor::select);
    if (!budget_exhausted()) return !served_at_once();
    yield_and_recheck();
    return true;
  }

  [[nodiscard]] bool recheck() noexcept override {
    if (!task->cancelled()) return served_at_once();
    set_cancelled();
    return true;
  }

  [[nodiscard]] bool cancel() noexcept override {
    if (!claim_for(*this)) return false;
    set_cancelled();
    return true;
  }

  Chosen await_resume() {
    leave_others(std::index_sequence_for<Operations...>{});
    throw_if_cancelled();
    return take<0>();
  }

 private:
  // Starts the operations in turn, until one has been served. Returns true if an operation was served by its own start:
  // then no other thread wakes the task. On false, the thread that serves an operation wakes the task.
  [[nodiscard]] bool served_at_once() noexcept {
    return std::apply([this](Operations&... operations) { return (start(operations) || ...); }, operations_) &&
           at_once_;
  }
  // Starts one operation. Returns true if no further operation has to be started.
  [[nodiscard]] bool start(auto& operation) noexcept {
    operation.join_select(*task);
    ++started_;
    at_once_ = operation.start_branch();
    return at_once_ || winner() != nullptr;
  }

  template <std::size_t... index>
  void leave_others(std::index_sequence<index...>) noexcept {
    (leave_if_other<index>(), ...);
  }
  template <std::size_t index>
  void leave_if_other() noexcept {
    auto& operation = std::get<index>(operations_);
    if (index < started_ && winner() != &operation) operation.leave();
  }

  template <std::size_t index>
  Chosen take() {
    auto& operation = std::get<index>(operations_);
    if constexpr (index + 1 != sizeof...(Operations)) {
      if (winner() != &operation) return take<index + 1>();
    }
    if constexpr (std::is_void_v<decltype(operation.await_resume())>) {
      operation.await_resume();
      return Chosen(std::in_place_index<index>);
    } else {
      return Chosen(std::in_place_index<index>, operation.await_resume());
    }
  }

  std::tuple<Operations&...> operations_;
  std::uint8_t started_ = 0;
  bool at_once_ = false;
};

}  // namespace sched

template <class... Operations>
  requires(sizeof...(Operations) != 0 && (sched::Branch<std::remove_reference_t<Operations>> && ...))
[[nodiscard]] auto select(Operations&&... operations) noexcept {
  return sched::Select<std::remove_reference_t<Operations>...>(operations...);
}

}  // namespace volt
