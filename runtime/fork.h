// SPDX-License-Identifier: MIT

// fork: runs a few functions at once, for computations. It takes plain functions; for coroutines use all()
// (runtime/concurrent.h).
//
//   std::uint64_t fib(int n) {
//     if (n < 20) return fib_alone(n);
//     const auto [a, b] = fork([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
//     return a + b;
//   }
//
// The caller runs the first function immediately and offers the others to the other workers. An idle worker takes an
// offered function; the caller runs those that no worker took. If no worker is idle, a fork is therefore a sequence of
// plain calls with little overhead. No function may rely on running concurrently with another.
//
// Values: a tuple of the results in order, sched::NoValue for void. Every function is called exactly once and has ended
// when fork returns. If functions threw, fork then rethrows the exception of the first of them in order.
// Threads: if the caller is not a task on a worker, or its runtime has one worker or does not steal, the functions are
// called in sequence. Otherwise each of them, except the first, may run on another thread. The caller itself stays on
// its thread. A function may call fork in turn. this_worker() and PerWorker refer to the worker that runs the function.
// A lock may be held across a fork: while a fork waits, its thread runs only functions that were forked inside that
// fork.
// Tasks: a fork is part of the task that calls it, like any other computation. During the fork the other tasks of its
// worker wait or are stolen; the worker's connections are rescued after some milliseconds (docs/scheduler.md). So a
// fork delays requests that wait on its worker. blocking() avoids that delay: it moves the computation to a thread of
// the blocking pool, where the computation runs without help from workers.
// Cancellation: fork is not a cancellation point and has no deadline. A function that should end early polls a
// CancelToken.
// Memory: no heap allocation. Each fork uses a few hundred bytes of the stack, and space for the values of its
// functions.
// The runtime learns from the duration of earlier forked functions whether to wake idle workers for a fork
// (runtime/sched/fork_worth.h).
#pragma once

#include <exception>
#include <expected>
#include <functional>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "runtime/sched/current.h"
#include "runtime/sched/forks.h"
#include "runtime/sched/spawned_task.h"
#include "runtime/task.h"

namespace volt {
namespace sched {

template <class T>
inline constexpr bool kIsTask = false;
template <class T>
inline constexpr bool kIsTask<Task<T>> = true;

template <class F>
using ForkedValue = ValueOf<std::invoke_result_t<F&>>;

template <class F>
ForkedValue<F> call(F& function) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&>>) {
    std::invoke(function);
    return {};
  } else {
    return std::invoke(function);
  }
}

// Returns the fork-join state of the calling thread; null if there is no worker to share with.
inline Forks* current_forks() noexcept {
  const Context* context = current();
  return context != nullptr && context->task != nullptr ? context->forks : nullptr;
}

// A function that is offered to other workers from construction until settle() or abandon(). The thread that takes the
// offer calls the function.
template <class F>
class Offered final : public ForkJob {
 public:
  // `context`: that of the calling thread.
  Offered(const Context* context, F& function) noexcept
      : ForkJob(&run_offered, context != nullptr ? context->log_context : nullptr),
        function_(function),
        forks_(context != nullptr && context->forks != nullptr && context->forks->offer(*this) ? context->forks
                                                                                               : nullptr) {}

  ForkedValue<F> settle() { return comes_back() ? call(function_) : wait(); }

  // Called instead of settle() after an earlier function has thrown. Runs the function, or waits until the thread that
  // took it has finished, and drops the result.
  [[gnu::noinline]] void abandon() noexcept { comes_back() ? run() : forks_->wait_for(*this); }

 private:
  [[nodiscard]] bool comes_back() noexcept { return forks_ == nullptr || forks_->take_back(); }

  [[gnu::noinline]] ForkedValue<F> wait() {
    forks_->wait_for(*this);
    if (!*outcome_) std::rethrow_exception(std::move(outcome_->error()));
    return *std::move(*outcome_);
  }

  static void run_offered(ForkJob& job) noexcept {
    auto& self = static_cast<Offered&>(job);
    try {
      self.outcome_.emplace(call(self.function_));
    } catch (...) {  // decided: rethrown by the caller of fork, unless an earlier function threw
      self.outcome_.emplace(std::unexpect, std::current_exception());
    }
  }

  F& function_;
  std::optional<std::expected<ForkedValue<F>, std::exception_ptr>> outcome_;  // empty if settle() called the function
  // Null if the function was not offered. The last member, because its initialization makes the offer: another worker
  // may call the function at once.
  Forks* const forks_;
};

template <class First, class Other>
ForkedValue<First> call_beside(First& first, Offered<Other>& other) {
  try {
    return call(first);
  } catch (...) {  // decided: rethrown when the other function has ended
    other.abandon();
    throw;
  }
}

template <class... F>
constexpr void check_forkable() {
  static_assert((!kIsTask<std::invoke_result_t<F&>> && ...), "fork calls plain functions; all() is for coroutines");
  static_assert((!std::is_reference_v<std::invoke_result_t<F&>> && ...),
                "a function passed to fork returns a value, not a reference");
}

}  // namespace sched

template <class First, class... Rest>
std::tuple<sched::ForkedValue<First>, sched::ForkedValue<Rest>...> fork(First&& first, Rest&&... rest) {
  sched::check_forkable<First, Rest...>();
  if constexpr (sizeof...(Rest) == 0) {
    return {sched::call(first)};
  } else if constexpr (sizeof...(Rest) == 1) {
    sched::Offered<std::remove_reference_t<Rest>...> second(sched::current(), rest...);
    auto value = sched::call_beside(first, second);
    return {std::move(value), second.settle()};
  } else {
    auto fork_rest = [&rest...] { return fork(rest...); };
    sched::Offered<decltype(fork_rest)> others(sched::current(), fork_rest);
    std::tuple<sched::ForkedValue<First>> value(sched::call_beside(first, others));
    return std::tuple_cat(std::move(value), others.settle());
  }
}

}  // namespace volt
