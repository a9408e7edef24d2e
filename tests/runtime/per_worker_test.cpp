// SPDX-License-Identifier: MIT

#include "runtime/per_worker.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "runtime/work_class.h"
#include "tests/support/engine.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using namespace std::chrono_literals;

static_assert(PerWorker<int>::kWorkersMax == RuntimeOptions::kWorkersMax + RuntimeOptions::kSpareWorkersMax);

constexpr std::uint32_t kWorkers = 3;

// Counts how many of it exist.
struct Counted {
  explicit Counted(Borrowed<base::Atomic<int>> counter, int first_value = 0) : alive(counter), value(first_value) {
    alive.get().fetch_add(1, base::relaxed);  // relaxed: a count
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { alive.get().fetch_sub(1, base::relaxed); }  // relaxed: a count

  Borrowed<base::Atomic<int>> alive;
  int value;
};

struct ThrowsOnce {
  explicit ThrowsOnce(Borrowed<int> attempts) {
    if (++attempts.get() == 1) throw std::runtime_error("the first attempt fails");
  }
};

template <class F>
void on_each_worker(Runtime& runtime, F function) {
  const auto run = [](Borrowed<F> called, std::uint32_t worker) -> Task<> {
    called.get()(worker);
    co_return;
  };
  for (std::uint32_t worker = 0; worker != kWorkers; ++worker) {
    auto task = runtime.spawn_local_on(worker, run, borrow(function), std::uint32_t{worker});
    REQUIRE(test::eventually([&] { return task.done(); }));
  }
}

template <class T>
std::vector<T*> values_of(const PerWorker<T>& per_worker) {
  std::vector<T*> values;
  per_worker.for_each([&](T& value) { values.push_back(&value); });
  return values;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/per_worker");

TEST_CASE("the values of as many workers as are named are made at once") {
  PerWorker<int> per_worker(kWorkers);
  CHECK(values_of(per_worker).size() == kWorkers);
  for (std::uint32_t worker = 0; worker != kWorkers; ++worker) CHECK(per_worker.at(worker) == 0);
  Runtime runtime(test_options(kWorkers));
  on_each_worker(runtime, [&](std::uint32_t worker) {
    CHECK(this_worker() == worker);
    CHECK(&per_worker.local() == &per_worker.at(worker));
    per_worker.local() = static_cast<int>(worker) + 1;
  });
  int sum = 0;
  per_worker.for_each([&](int value) { sum += value; });
  CHECK(sum == 1 + 2 + 3);
}

TEST_CASE("without a number each value is made when its worker first asks, and destroyed with the rest") {
  base::Atomic<int> alive{0};
  {
    PerWorker<Counted> per_worker;
    CHECK(values_of(per_worker).empty());
    Runtime runtime(test_options(kWorkers));
    on_each_worker(runtime, [&](std::uint32_t worker) {
      Counted& own = per_worker.local(borrow(alive), 7);
      CHECK(own.value == 7);
      CHECK(&per_worker.local(borrow(alive), 8) == &own);                // it is there already
      CHECK(alive.load(base::relaxed) == static_cast<int>(worker) + 1);  // relaxed: a count
    });
    CHECK(values_of(per_worker).size() == kWorkers);
  }
  CHECK(alive.load(base::relaxed) == 0);  // relaxed: a count
}

TEST_CASE("workers of two runtimes that share a number share its value") {
  base::Atomic<int> alive{0};
  PerWorker<Counted> per_worker;
  Runtime first(test_options(1));
  Runtime second(test_options(1));
  const auto find = [](Borrowed<PerWorker<Counted>> all, Borrowed<base::Atomic<int>> counter) -> Task<Counted*> {
    co_return &all.get().local(counter);
  };
  auto one = first.spawn(find, borrow(per_worker), borrow(alive));
  auto other = second.spawn(find, borrow(per_worker), borrow(alive));
  REQUIRE(test::eventually([&] { return one.done() && other.done(); }));
  CHECK(one.task().take() == other.task().take());
  CHECK(alive.load(base::relaxed) == 1);  // relaxed: a count
}

TEST_CASE("a value whose constructor throws is made by the next local() call") {
  PerWorker<ThrowsOnce> per_worker;
  Runtime runtime(test_options(kWorkers));
  int attempts = 0;
  runtime.block_on([&]() -> Task<> {
    CHECK_THROWS_AS(static_cast<void>(per_worker.local(borrow(attempts))), std::runtime_error);
    static_cast<void>(per_worker.local(borrow(attempts)));
    CHECK(attempts == 2);
    co_return;
  });
  CHECK(values_of(per_worker).size() == 1);
}

TEST_CASE("values lie in cache lines of their own") {
  PerWorker<char> per_worker(kWorkers);
  for (std::uint32_t worker = 0; worker != kWorkers; ++worker) {
    CHECK(reinterpret_cast<std::uintptr_t>(&per_worker.at(worker)) % base::kNoSharingBytes == 0);
  }
}

TEST_CASE("a turn tells for how long the task waited, on the clock of its runtime") {
  RuntimeOptions options = test_options(1);
  options.manual_clock = true;
  Runtime runtime(options);
  const auto look = []() -> Task<Turn> {
    const std::chrono::nanoseconds before = coarse_now();
    co_await sleep_for(1s);
    CHECK(coarse_now() - before >= 1s);
    co_return this_turn();
  };
  auto task = runtime.spawn(look);
  runtime.advance_clock(2s);
  REQUIRE(task.done());
  const Turn turn = task.task().take();
  CHECK(turn.now > 0ns);
  CHECK(turn.queued_for >= 0ns);
  CHECK(turn.busy_for >= 0ns);
}

TEST_CASE("a worker has not been busy before it was started") {
  const auto before = std::chrono::steady_clock::now();
  Runtime runtime(test_options(1));
  const auto busy_for = runtime.block_on([]() -> Task<std::chrono::nanoseconds> { co_return this_turn().busy_for; });
  CHECK(busy_for <= std::chrono::steady_clock::now() - before);
}

TEST_CASE("time in queues that the scheduler does not see is added to the turn, and only to that turn") {
  Runtime runtime(test_options(1));
  runtime.block_on([]() -> Task<> {
    add_to_queued_time(1h);
    CHECK(this_turn().queued_for >= 1h - 1ms);  // the times of a turn are that accurate
    co_await yield();
    CHECK(this_turn().queued_for < 1h);
  });
}

TEST_SUITE_END();

}  // namespace volt
