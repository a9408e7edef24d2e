// SPDX-License-Identifier: MIT

// Rows of tasks that wait for other tasks which they have started: fib with a coroutine a call, as libraries for
// fork-join with coroutines measure it.
#include "loadtest/micro/rows/rows.h"
#include "runtime/concurrent.h"
#include "runtime/sched/clock.h"
#include "runtime/spawn.h"
#include "runtime/task.h"

namespace rows {
namespace {

constexpr int kRounds = 31;
constexpr int kFib = 20;
constexpr std::uint64_t kFibIs = 6'765;
constexpr std::uint64_t kFibCalls = 21'891;

using volt::Task;
using volt::sched::now_ns;

Task<std::uint64_t> fib_of_all(int n) {
  if (n < 2) co_return static_cast<std::uint64_t>(n);
  const auto [a, b] = co_await volt::all([n] { return fib_of_all(n - 1); }, [n] { return fib_of_all(n - 2); });
  co_return a + b;
}

Task<std::uint64_t> fib_of_spawn(int n) {
  if (n < 2) co_return static_cast<std::uint64_t>(n);
  volt::JoinHandle<std::uint64_t> other = volt::spawn(fib_of_spawn, n - 2);
  const std::uint64_t a = co_await fib_of_spawn(n - 1);
  const std::uint64_t b = co_await std::move(other);
  co_return a + b;
}

void add_row(volt::Runtime& runtime, Figures& figures, const char* name, Task<std::uint64_t> (*fib)(int)) {
  const double ns = median_of_rounds(kRounds, [&] {
    return runtime.block_on([&]() -> Task<std::int64_t> {
      const std::int64_t began_ns = now_ns();
      const std::uint64_t result = co_await fib(kFib);
      VOLT_CHECK(result == kFibIs);
      co_return now_ns() - began_ns;
    });
  });
  figures.add(name, ns / kFibCalls);
}

}  // namespace

void all_fib(volt::Runtime& runtime, Figures& figures) { add_row(runtime, figures, "all_fib", fib_of_all); }
void spawn_fib(volt::Runtime& runtime, Figures& figures) { add_row(runtime, figures, "spawn_fib", fib_of_spawn); }

}  // namespace rows
