// fork: a few functions at once, for computations. Plain functions, not coroutines: those have all() (concurrent.h).
//
//   std::uint64_t fib(int n) {
//     if (n < 20) return fib_alone(n);
//     const auto [a, b] = fork([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
//     return a + b;
//   }
//
// The first is called at once, by the caller; the others are on offer meanwhile. Whoever among the workers has nothing to
// do takes one; what nobody took the caller calls itself. So a fork that nobody helps with is its functions called in a
// row, for a few nanoseconds more, and no function may count on running beside another.
//
// Values: a tuple of them in order, sched::NoValue for void. Every function is called, exactly once, and has ended when
// fork returns; if some have thrown, the exception of the first of them in order is rethrown then.
// Threads: where the caller is no task on a worker, or its runtime has one worker or does not steal, the functions are
// called in a row. Else each may run on another thread than its caller, and a fork within a function likewise; the
// caller itself goes on where it was. this_worker() and PerWorker say who runs. A lock may be held around a fork: while
// a fork waits, its thread runs only what has been forked inside that fork.
// Tasks: to its worker a fork is part of the task that calls it, a computation like any other: the worker's other tasks
// wait or are stolen, its connections are rescued after milliseconds (docs/scheduler.md). A fork on a worker where
// requests wait delays them; blocking() takes it elsewhere, where it runs alone.
// Cancellation: not a point of it, and it has no deadline of its own. A function that shall end early asks a CancelToken.
// Memory: none is allocated. Each fork takes some hundred bytes of the stack, and the values of its functions.
// Whether idle workers are woken for a fork is learned from how long the parts of earlier ones took (sched/fork_worth.h).
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

// The calling thread's part in fork-join, null if it has nobody to share with.
inline Forks* current_forks() noexcept {
  const Context* context = current();
  return context != nullptr ? context->forks : nullptr;
}

// A function on offer, from its construction on until settle or abandon: whoever gets it calls it.
template <class F>
class Offered final : public ForkJob {
 public:
  Offered(Forks* forks, F& function) noexcept
      : ForkJob(&run_offered), function_(function), forks_(forks != nullptr && forks->offer(*this) ? forks : nullptr) {}

  ForkedValue<F> settle() { return comes_back() ? call(function_) : wait(); }

  // A function before this one has thrown.
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
    } catch (...) {  // decided: rethrown by the forker, unless another comes first
      self.outcome_.emplace(std::unexpect, std::current_exception());
    }
  }

  F& function_;
  std::optional<std::expected<ForkedValue<F>, std::exception_ptr>> outcome_;  // if not called by settle
  Forks* const forks_;  // null: not on offer. The last member, since a thief may come from then on
};

template <class First, class Other>
ForkedValue<First> call_beside(First& first, Offered<Other>& other) {
  try {
    return call(first);
  } catch (...) {  // decided: thrown on when the other has ended
    other.abandon();
    throw;
  }
}

template <class... F>
constexpr void check_forkable() {
  static_assert((!kIsTask<std::invoke_result_t<F&>> && ...), "fork calls plain functions; all() is for coroutines");
  static_assert((!std::is_reference_v<std::invoke_result_t<F&>> && ...), "what fork calls returns values");
}

}  // namespace sched

template <class First, class... Rest>
std::tuple<sched::ForkedValue<First>, sched::ForkedValue<Rest>...> fork(First&& first, Rest&&... rest) {
  sched::check_forkable<First, Rest...>();
  if constexpr (sizeof...(Rest) == 0) {
    return {sched::call(first)};
  } else if constexpr (sizeof...(Rest) == 1) {
    sched::Offered<std::remove_reference_t<Rest>...> second(sched::current_forks(), rest...);
    auto value = sched::call_beside(first, second);
    return {std::move(value), second.settle()};
  } else {
    auto fork_rest = [&rest...] { return fork(rest...); };
    sched::Offered<decltype(fork_rest)> others(sched::current_forks(), fork_rest);
    std::tuple<sched::ForkedValue<First>> value(sched::call_beside(first, others));
    return std::tuple_cat(std::move(value), others.settle());
  }
}

}  // namespace volt
