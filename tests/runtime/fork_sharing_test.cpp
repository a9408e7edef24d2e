// SPDX-License-Identifier: MIT

// How workers share forks, and how forks affect other tasks.
#include <doctest/doctest.h>

#include <array>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/fork.h"
#include "runtime/per_worker.h"
#include "runtime/runtime.h"
#include "runtime/tasks.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/forked.h"
#include "tests/support/sanitizers.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using namespace std::chrono_literals;
using test::burn;
using test::in_task;
using test::kForkTimeout;
using test::Meeting;

std::uint64_t fib(int n) {
  if (n < 2) return static_cast<std::uint64_t>(n);
  const auto [a, b] = fork([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/fork_sharing");

TEST_CASE("both halves of a fork run at the same time if another worker is idle") {
  for (const std::uint32_t workers : {2u, 4u}) {
    CAPTURE(workers);
    Runtime runtime(test_options(workers));
    for (int i = 0; i != 20; ++i) {
      const auto [met, by] = in_task(runtime, [] {
        Meeting meeting;
        const auto [left, right] = fork([&] { return std::pair(meeting.meet(), this_worker()); },
                                        [&] { return std::pair(meeting.meet(), this_worker()); });
        return std::pair(left.first && right.first, left.second != right.second);
      });
      REQUIRE(met);
      CHECK(by);
    }
    CHECK(runtime.metrics().total().forks_stolen >= 20);
  }
}

TEST_CASE("a long fork uses both workers, even after many short ones") {
  Runtime runtime(test_options(2));
  const bool met = in_task(runtime, [] {
    for (int i = 0; i != 100'000; ++i) fork([] {}, [] {});
    Meeting meeting;
    const auto [left, right] = fork([&] { return meeting.meet(); }, [&] { return meeting.meet(); });
    return left && right;
  });
  CHECK(met);
}

TEST_CASE("short forks rarely wake a worker") {
  Runtime runtime(test_options(2));
  const std::uint64_t before = runtime.metrics().total().wakes_sent;
  in_task(runtime, [] {
    for (int i = 0; i != 100'000; ++i) fork([] {}, [] {});
    return 0;
  });
  if (!test::kSanitized) CHECK(runtime.metrics().total().wakes_sent - before < 10'000);
}

TEST_CASE("a forker helps the thief of its second half") {
  // The stolen half forks again, and both its halves need a thread: the thief, and the forker that waits for the stolen
  // half.
  Runtime runtime(test_options(2));
  for (int i = 0; i != 20; ++i) {
    const bool met = in_task(runtime, [] {
      Meeting started;
      Meeting meeting;
      const auto [left, right] = fork([&] { return started.meet(); },
                                      [&] {
                                        if (!started.meet()) return false;
                                        burn(200us);  // the forker waits by then
                                        const auto [a, b] =
                                            fork([&] { return meeting.meet(); }, [&] { return meeting.meet(); });
                                        return a && b;
                                      });
      return left && right;
    });
    REQUIRE(met);
  }
}

TEST_CASE("a lock held around a fork is safe while the fork waits") {
  // The forker waits with the lock held while its thief forks a function of another task that needs the lock: run on
  // top of the wait, that function would never get the lock.
  Runtime runtime(test_options(4));
  std::mutex mutex;
  std::uint64_t locked = 0;
  const auto lock_often = [&](int times) -> Task<> {
    for (int i = 0; i != times; ++i) {
      const std::scoped_lock lock(mutex);
      ++locked;
      fork([] { burn(20us); }, [] { burn(40us); });
    }
    co_return;
  };
  const auto fork_locks = [&](int times) -> Task<> {
    for (int i = 0; i != times; ++i) {
      std::array<std::uint64_t, 2> seen{};
      const auto look = [&](std::size_t at) {
        const std::scoped_lock lock(mutex);
        seen[at] = locked;
      };
      fork([&] { look(0); }, [&] { look(1); });
    }
    co_return;
  };
  const int times = static_cast<int>(test::stress_rounds(200));
  runtime.block_on([&]() -> Task<> {
    auto first = [&] { return lock_often(times); };
    auto second = [&] { return fork_locks(times); };
    co_await all(first, second);
  });
  CHECK(locked == static_cast<std::uint64_t>(times));
}

TEST_CASE("a forked function that another worker runs belongs to the task that forked it") {
  Runtime runtime(test_options(2));
  const bool same = in_task(runtime, [] {
    Meeting meeting;
    const auto [left, right] = fork([&] { return meeting.meet() ? this_task_id() : TaskId{}; },
                                    [&] { return meeting.meet() ? this_task_id() : TaskId{}; });
    return left == this_task_id() && right == left;
  });
  CHECK(same);
}

TEST_CASE("other tasks make progress while forks run") {
  for (const std::uint32_t workers : {2u, 4u}) {
    CAPTURE(workers);
    Runtime runtime(test_options(workers));
    base::Atomic<bool> began{false};
    base::Atomic<bool> stop{false};
    const auto tick = [&]() -> Task<int> {
      int ticks = 0;
      began.store(true, base::relaxed);    // relaxed: a flag
      while (!stop.load(base::relaxed)) {  // relaxed: a flag
        co_await sleep_for(1ms);
        ++ticks;
      }
      co_return ticks;
    };
    const auto compute = [&]() -> Task<int> {
      std::uint64_t sum = 0;
      while (!began.load(base::relaxed)) co_await yield();  // relaxed: a flag
      for (int i = 0; i != 20; ++i) {
        sum += fib(18);
        co_await yield();
      }
      stop.store(true, base::relaxed);  // relaxed: a flag
      co_return sum == 20 * 2584 ? 1 : 0;
    };
    const auto [ticks, right] = runtime.block_on([&] { return all(tick, compute); });
    CHECK(ticks > 0);
    CHECK(right == 1);
  }
}

TEST_CASE("workers that compute a fork do not delay tasks that another worker can run") {
  // Two workers compute one fork; a third is free for other tasks.
  Runtime runtime(test_options(3));
  base::Atomic<bool> answered{false};
  std::latch computing(2);
  JoinHandle<void> fork_task = runtime.spawn(
      [](Borrowed<base::Atomic<bool>> flag, Borrowed<std::latch> both) -> Task<> {
        const auto until_answered = [&] {
          both.get().count_down();
          const std::int64_t end_ns = sched::now_ns() + kForkTimeout.count();
          while (!flag.get().load(base::relaxed) && sched::now_ns() < end_ns)
            std::this_thread::yield();  // relaxed: a flag
        };
        fork(until_answered, until_answered);
        co_return;
      },
      borrow(answered), borrow(computing));
  computing.wait();
  const auto began = sched::now_ns();
  for (int i = 0; i != 50; ++i) {
    runtime.block_on([]() -> Task<> {
      co_await yield();
      co_await sleep_for(100us);
    });
  }
  CHECK(std::chrono::nanoseconds(sched::now_ns() - began) < kForkTimeout);
  answered.store(true, base::relaxed);  // relaxed: a flag
  CHECK(runtime.block_on([&] { return test::outcome_of(std::move(fork_task)); }) == test::Outcome::value);
}

TEST_CASE("many tasks may fork at the same time") {
  for (const std::uint32_t workers : test::kWorkerCounts) {
    CAPTURE(workers);
    Runtime runtime(test_options(workers));
    const auto count = test::stress_rounds(100);
    std::vector<JoinHandle<std::uint64_t>> handles;
    for (std::uint64_t i = 0; i != count; ++i) {
      handles.push_back(runtime.spawn([]() -> Task<std::uint64_t> {
        const std::uint64_t once = fib(12);
        co_await yield();
        co_return once + fib(12);
      }));
    }
    std::uint64_t sum = 0;
    for (auto& handle : handles) {
      sum += runtime.block_on([&]() -> Task<std::uint64_t> { co_return co_await std::move(handle); });
    }
    CHECK(sum == count * 288);
  }
}

TEST_SUITE_END();

}  // namespace volt
