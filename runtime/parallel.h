// SPDX-License-Identifier: MIT

// parallel_for, parallel_reduce: run a loop on all workers that are otherwise idle, by fork() (runtime/fork.h). The
// rules of fork() on threads, tasks and cancellation apply here too.
//
//   parallel_for(0, rows, [&](int row) { blur(image, row); });
//   parallel_for(prices, [](double& price) { price *= 1.19; });
//   const double sum = parallel_reduce(x, 0.0, [](double value) { return value * value; }, std::plus<>());
//
// The caller starts with the first iterations. Whenever it has no open offer to other workers, it offers the rear half
// of the remaining iterations. So a loop is divided only log2(count) times if no other worker helps, and the parts that
// take longest are divided further.
// Values: parallel_reduce combines only neighboring values, from left to right, so `combine` must be associative and
// need not be commutative. A run is a sequence of iterations that one thread executes in order. Every run starts with
// `identity`, which must be the neutral element of `combine`.
// Exceptions: an iteration that throws ends its run. When all runs have ended, the exception of one run is
// rethrown: of those that threw, the run that comes first in the range.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "runtime/fork.h"

namespace volt {

struct LoopOptions {
  // A part of at most this many iterations is not divided further. It should take a microsecond or more. With 0, the
  // number is a small share of one worker's part of the loop. 0 suits iterations of a microsecond or more, and loops of
  // a million short iterations. A loop of a thousand short iterations needs an explicit number, or is faster as a plain
  // loop.
  std::size_t grain = 0;
};

// A range with a size and random access.
template <class Range>
concept Divisible = std::ranges::random_access_range<Range> && std::ranges::sized_range<Range>;

namespace sched {

// A loop that is being divided. `run(value, first, last)` returns `value` combined with the iterations [first, last).
template <class T, class Run, class Combine>
class DividedLoop {
 public:
  DividedLoop(const T& identity, Run run, Combine& combine, std::size_t count, std::size_t grain) noexcept
      : identity_(identity), run_(run), combine_(combine) {
    const Forks* forks = current_forks();
    if (forks == nullptr) {
      grain_ = count;
    } else {
      grain_ = grain != 0 ? grain : std::max<std::size_t>(1, count / (kRunsPerWorker * forks->workers()));
    }
  }

  // Runs the iterations [first, last) and returns their combined value.
  T over(std::size_t first, std::size_t last) {
    T value = identity_;
    const Forks* forks = current_forks();
    for (; last - first > grain_; first += grain_) {
      if (forks->worth_dividing()) {
        const std::size_t middle = first + (last - first) / 2;
        auto [left, right] = fork([=, this] { return over(first, middle); }, [=, this] { return over(middle, last); });
        value = std::invoke(combine_, std::move(value), std::move(left));
        return std::invoke(combine_, std::move(value), std::move(right));
      }
      value = run_(std::move(value), first, first + grain_);
    }
    return run_(std::move(value), first, last);
  }

 private:
  static constexpr std::size_t kRunsPerWorker = 64;  // bounds the delay of the last run to less than 2 % of the loop

  const T& identity_;
  Run run_;
  Combine& combine_;
  std::size_t grain_;
};

template <class A, class B>
auto indexes(A begin, B end) {
  using Index = std::common_type_t<A, B>;
  const auto first = static_cast<Index>(begin);
  return std::views::iota(first, std::max(first, static_cast<Index>(end)));
}

}  // namespace sched

// Applies `map` to every element and combines the results. `map` may change the elements. The range must outlive the
// call.
template <Divisible Range, class T, class Map, class Combine>
T parallel_reduce(Range&& range, T identity, Map map, Combine combine, LoopOptions options = {}) {
  const auto begin = std::ranges::begin(range);
  using Distance = std::ranges::range_difference_t<Range>;
  auto run = [begin, &map, &combine](T value, std::size_t first, std::size_t last) {
    const auto end = begin + static_cast<Distance>(last);
    for (auto element = begin + static_cast<Distance>(first); element != end; ++element) {
      value = std::invoke(combine, std::move(value), std::invoke(map, *element));
    }
    return value;
  };
  const auto count = static_cast<std::size_t>(std::ranges::size(range));
  return sched::DividedLoop(std::as_const(identity), run, combine, count, options.grain).over(0, count);
}

// Applies `map` to every index in [begin, end) and combines the results.
template <std::integral A, std::integral B, class T, class Map, class Combine>
T parallel_reduce(A begin, B end, T identity, Map map, Combine combine, LoopOptions options = {}) {
  return parallel_reduce(sched::indexes(begin, end), std::move(identity), std::move(map), std::move(combine), options);
}

// Calls `body` for every element.
template <Divisible Range, class Body>
void parallel_for(Range&& range, Body body, LoopOptions options = {}) {
  using sched::NoValue;
  using Called = std::invoke_result_t<Body&, std::ranges::range_reference_t<Range>>;
  static_assert(!sched::kIsTask<Called>, "parallel_for calls a plain function; with_scope() is for coroutines");
  auto map = [&body]<class Element>(Element&& element) {
    std::invoke(body, std::forward<Element>(element));
    return NoValue();
  };
  parallel_reduce(range, NoValue(), map, [](NoValue, NoValue) { return NoValue(); }, options);
}

// Calls `body` for every index in [begin, end).
template <std::integral A, std::integral B, class Body>
void parallel_for(A begin, B end, Body body, LoopOptions options = {}) {
  parallel_for(sched::indexes(begin, end), std::move(body), options);
}

}  // namespace volt
