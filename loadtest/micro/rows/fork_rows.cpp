// SPDX-License-Identifier: MIT

// Rows of fork-join: the cost of a fork whose functions do almost nothing.
#include <functional>

#include "loadtest/micro/rows/rows.h"
#include "runtime/fork.h"
#include "runtime/parallel.h"
#include "runtime/sched/clock.h"
#include "runtime/task.h"

namespace rows {
namespace {

constexpr int kRounds = 7;
constexpr int kFib = 30;
constexpr std::uint64_t kFibIs = 832'040;
constexpr std::uint64_t kFibCalls = 2'692'537;
constexpr std::uint64_t kLeaves = 1'000'000;
constexpr std::uint64_t kLeavesSum = kLeaves * (kLeaves - 1) / 2;
constexpr std::uint64_t kPairs = 1'000'000;

using volt::Task;
using volt::sched::now_ns;

[[gnu::noinline]] std::uint64_t fib(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  const auto [a, b] = volt::fork([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

// Every node returns the sum of its ten children; a leaf returns its own number.
[[gnu::noinline]] std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t share = leaves / 10;
  const auto child = [=](std::uint64_t i) { return skynet(first + i * share, share); };
  return volt::parallel_reduce(std::uint64_t{0}, std::uint64_t{10}, std::uint64_t{0}, child, std::plus<>(),
                               {.grain = 1});
}

[[gnu::noinline]] std::uint64_t same(std::uint64_t value) {
  asm volatile("" : "+r"(value));
  return value;
}

std::uint64_t fork_pairs(std::uint64_t pairs) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i != pairs; ++i) {
    const auto [a, b] = volt::fork([i] { return same(i); }, [i] { return same(i); });
    sum += a + b;
  }
  return sum;
}

template <class Compute>
void add_row(volt::Runtime& runtime, Figures& figures, const char* name, std::uint64_t operations, std::uint64_t result,
             Compute compute) {
  const double ns = median_of_rounds(kRounds, [&] {
    return runtime.block_on([&]() -> Task<std::int64_t> {
      const std::int64_t began_ns = now_ns();
      VOLT_CHECK(compute() == result);
      co_return now_ns() - began_ns;
    });
  });
  figures.add(name, ns / static_cast<double>(operations));
}

}  // namespace

void fork_fib(volt::Runtime& runtime, Figures& figures) {
  add_row(runtime, figures, "fib", kFibCalls, kFibIs, [] { return fib(kFib); });
}

void fork_skynet(volt::Runtime& runtime, Figures& figures) {
  add_row(runtime, figures, "skynet", kLeaves, kLeavesSum, [] { return skynet(0, kLeaves); });
}

void fork_pair(volt::Runtime& runtime, Figures& figures) {
  add_row(runtime, figures, "fork_pair", kPairs, kPairs * (kPairs - 1), [] { return fork_pairs(kPairs); });
}

}  // namespace rows
