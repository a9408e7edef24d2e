// SPDX-License-Identifier: MIT

// onetbb_rows: the fork-join rows of loadtest/micro/rows/fork_rows.cpp in the same shapes, on oneTBB.
//
//   onetbb_rows [--workers N] [--only ROW]      prints "name<tab>value" a line, medians of the rounds
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <vector>

namespace {

constexpr int kRounds = 7;
constexpr int kFib = 30;
constexpr std::uint64_t kFibIs = 832'040;
constexpr std::uint64_t kFibCalls = 2'692'537;
constexpr std::uint64_t kLeaves = 1'000'000;
constexpr std::uint64_t kPairs = 1'000'000;

[[gnu::noinline]] std::uint64_t fib(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  tbb::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

[[gnu::noinline]] std::uint64_t skynet(std::uint64_t first, std::uint64_t leaves) {
  if (leaves == 1) return first;
  const std::uint64_t share = leaves / 10;
  const auto children = [=](const tbb::blocked_range<std::uint64_t>& range, std::uint64_t sum) {
    for (std::uint64_t i = range.begin(); i != range.end(); ++i) sum += skynet(first + i * share, share);
    return sum;
  };
  return tbb::parallel_reduce(tbb::blocked_range<std::uint64_t>(0, 10, 1), std::uint64_t{0}, children, std::plus<>());
}

[[gnu::noinline]] std::uint64_t same(std::uint64_t value) {
  asm volatile("" : "+r"(value));
  return value;
}

std::uint64_t fork_pairs() {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i != kPairs; ++i) {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    tbb::parallel_invoke([&] { a = same(i); }, [&] { b = same(i); });
    sum += a + b;
  }
  return sum;
}

struct Row {
  std::string_view name;
  std::uint64_t operations;
  std::uint64_t result;
  std::uint64_t (*compute)();
};

constexpr Row kRows[] = {
    {"fib", kFibCalls, kFibIs, [] { return fib(kFib); }},
    {"skynet", kLeaves, kLeaves*(kLeaves - 1) / 2, [] { return skynet(0, kLeaves); }},
    {"fork_pair", kPairs, kPairs*(kPairs - 1), [] { return fork_pairs(); }},
};

double measure_ns(const Row& row) {
  const auto began = std::chrono::steady_clock::now();
  if (row.compute() != row.result) std::abort();
  return static_cast<double>((std::chrono::steady_clock::now() - began) / std::chrono::nanoseconds(1));
}

}  // namespace

int main(int argc, char** argv) {
  int workers = 2;
  std::string_view only;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view flag = argv[i];
    if (flag == "--workers") workers = std::atoi(argv[i + 1]);
    if (flag == "--only") only = argv[i + 1];
  }
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers));
  tbb::task_arena arena(workers);
  arena.execute([&] {
    for (const Row& row : kRows) {
      if (!only.empty() && only != row.name) continue;
      static_cast<void>(measure_ns(row));
      std::vector<double> values;
      for (int i = 0; i != kRounds; ++i) values.push_back(measure_ns(row));
      std::nth_element(values.begin(), values.begin() + kRounds / 2, values.end());
      std::printf("%s\t%.3f\n", row.name.data(), values[kRounds / 2] / static_cast<double>(row.operations));
    }
  });
}
