// SPDX-License-Identifier: MIT

#include "runtime/runtime.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "runtime/blocking.h"
#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/log.h"
#include "runtime/notify.h"
#include "runtime/per_worker.h"
#include "runtime/scope.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/lifetimes.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using test::Lifetimes;
using namespace std::chrono_literals;

Task<int> give(int value) { co_return value; }

Task<> fail() {
  throw std::runtime_error("why");
  co_return;
}

Task<> hold_for(Lifetimes::Token, std::chrono::nanoseconds duration) { co_await sleep_for(duration); }

Task<> hold_yielding(Lifetimes::Token) {
  for (;;) co_await yield();
}

Task<> hold_reading(Lifetimes::Token, TcpStream stream) {
  std::byte byte{};
  static_cast<void>(co_await stream.read({&byte, 1}));
}

Task<> hold_scope(Lifetimes::Token, Borrowed<Lifetimes> lifetimes) {
  auto body = [lifetimes](Scope& scope) -> Task<> {
    scope.spawn(hold_for, lifetimes.get().token(), 1h);
    scope.spawn(hold_yielding, lifetimes.get().token());
    co_return;
  };
  co_await with_scope(body);
}

Task<> hold_blocking(Lifetimes::Token, std::chrono::milliseconds duration) {
  auto wait = [duration] { std::this_thread::sleep_for(duration); };
  co_await blocking(wait);
}

Task<> hold_shielded(Lifetimes::Token, Borrowed<base::Atomic<int>> finished) {
  auto work = [finished]() -> Task<> {
    co_await sleep_for(10ms);
    finished.get().fetch_add(1, base::seq_cst);
  };
  co_await shield(work);
}

// While it unwinds, it spawns another task that does this as well.
Task<> hold_and_respawn(Borrowed<Lifetimes> lifetimes, int generations) {
  const auto token = lifetimes.get().token();
  try {
    co_await sleep_for(1h);
  } catch (const Cancelled&) {  // decided: rethrown
    if (generations > 0) spawn(hold_and_respawn, lifetimes, generations - 1).detach();
    throw;
  }
}

// Spawns the next task forever: each task ends as soon as the next one exists.
Task<> relay(Borrowed<Lifetimes> lifetimes) {
  const auto token = lifetimes.get().token();
  co_await yield();
  spawn(relay, lifetimes).detach();
}

Task<bool> stays_on_one_worker(int rounds) {
  const std::uint32_t home = this_worker();
  for (int i = 0; i != rounds; ++i) {
    switch (i % 3) {
      case 0:
        co_await yield();
        break;
      case 1:
        co_await sleep_for(200us);
        break;
      default: {
        auto nothing = [] {};
        co_await blocking(nothing);
      }
    }
    if (this_worker() != home) co_return false;
  }
  co_return true;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/runtime");

TEST_CASE("block_on() returns the value, rethrows the exception, and accepts callables that refer to the caller") {
  Runtime runtime(test_options());
  CHECK(runtime.block_on(give, 5) == 5);
  CHECK_THROWS_WITH_AS(runtime.block_on(fail), "why", std::runtime_error);
  int seen = 0;
  runtime.block_on([&]() -> Task<> {
    seen = 1;
    co_return;
  });
  CHECK(seen == 1);
}

TEST_CASE("many threads may call block_on() at once") {
  Runtime runtime(test_options());
  std::vector<std::thread> threads;
  base::Atomic<int> right{0};
  for (int i = 0; i != 8; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round != 100; ++round) {
        if (runtime.block_on(give, i * 1000 + round) == i * 1000 + round) right.fetch_add(1, base::relaxed);  // relaxed
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(right.load(base::relaxed) == 800);  // relaxed: joined
}

TEST_CASE("a runtime reports its I/O engine, and throws for an engine that the system refuses") {
  Runtime runtime(test_options(1));
  CHECK(runtime.engine() == test_options().io);
  CHECK(runtime.worker_count() == 1);
  Runtime automatic({.workers = 1});
  CHECK(automatic.engine() != IoEngine::automatic);
  Runtime sized({.io = test_options().io});
  CHECK(sized.worker_count() == usable_processors());
}

TEST_CASE("stopping cancels every task in any kind of wait, and waits until each has unwound") {
  for (const std::uint32_t workers : {1u, 2u, 5u}) {
    CAPTURE(workers);
    Lifetimes lifetimes;
    base::Atomic<int> finished{0};
    std::vector<test::Pair> pairs;
    for (int i = 0; i != 10; ++i) pairs.push_back(test::unix_pair());
    {
      Runtime runtime(test_options(workers));
      for (auto& pair : pairs) {
        runtime.spawn(hold_for, lifetimes.token(), 1h).detach();
        runtime.spawn(hold_yielding, lifetimes.token()).detach();
        runtime.spawn(hold_reading, lifetimes.token(), TcpStream(pair.near.release())).detach();
        runtime.spawn(hold_scope, lifetimes.token(), borrow(lifetimes)).detach();
        runtime.spawn(hold_blocking, lifetimes.token(), 20ms).detach();
        runtime.spawn(hold_shielded, lifetimes.token(), borrow(finished)).detach();
        runtime.spawn(hold_and_respawn, borrow(lifetimes), 5).detach();
      }
      std::this_thread::sleep_for(5ms);
    }
    CHECK(lifetimes.made() == lifetimes.ended());
    CHECK(finished.load(base::seq_cst) == 10);
    for (const auto& pair : pairs) CHECK(test::receive_some(pair.far.get()) == 0);  // closed
  }
}

// Has a mistake: it does not end when it is cancelled.
Task<> ignore_cancelled(Borrowed<int> refused, Borrowed<Notify> may_end) {
  for (;;) {
    try {
      co_return co_await may_end->notified();
    } catch (const Cancelled&) {
      ++*refused;
    }
  }
}

TEST_CASE("a task that does not end is named in the log after a second, and end_tasks() gives up after its limit") {
  std::mutex mutex;
  std::string logged;  // under `mutex`
  RuntimeOptions options = test_options(2);
  const auto sink = [&](std::string_view lines) {
    const std::scoped_lock lock(mutex);
    logged += lines;
  };
  options.log = std::make_shared<Log>(LogOptions{.flush_timeout = 60s, .sink = sink});
  const auto tells_wait_of_a_second = [&] {
    constexpr std::string_view kField = "waited_ms=";
    const std::scoped_lock lock(mutex);
    for (std::size_t at = logged.find(kField); at != std::string::npos; at = logged.find(kField, at + 1)) {
      if (std::stoi(logged.substr(at + kField.size())) >= 1000) return true;
    }
    return false;
  };
  int refused = 0;
  Notify may_end;
  {
    Runtime runtime(options);
    runtime.spawn(ignore_cancelled, borrow(refused), borrow(may_end)).detach();
    CHECK_FALSE(runtime.end_tasks(20ms));
    std::thread waits_for_log([&] {
      CHECK(eventually(tells_wait_of_a_second));
      may_end.notify_one();
    });
    CHECK(runtime.end_tasks(60s));
    waits_for_log.join();
  }
  CHECK(refused > 9'000);
  CHECK(refused <= 10'000);  // then it waited, and so used no processor time
  options.log.reset();
  CHECK(logged.contains("the runtime cannot stop before these tasks have ended, which were cancelled: task "));
  CHECK(logged.contains("ignore_cancelled("));
  CHECK(logged.contains("detached at tests/runtime/runtime_test.cpp:"));
}

TEST_CASE("a runtime may be stopped right after its start, many times, with and without tasks") {
  Lifetimes lifetimes;
  for (int i = 0; i != 60; ++i) {
    Runtime runtime(test_options(1 + static_cast<std::uint32_t>(i) % 4));
    for (int task = 0; task != i % 5; ++task) runtime.spawn(hold_for, lifetimes.token(), 1h).detach();
  }
  CHECK(lifetimes.made() == lifetimes.ended());
}

TEST_CASE("stopping ends an endless chain of tasks that spawn each other") {
  for (int i = 0; i != 100; ++i) {
    Lifetimes lifetimes;
    {
      Runtime runtime(test_options(3));
      for (int task = 0; task != 6; ++task) runtime.spawn(relay, borrow(lifetimes)).detach();
      std::this_thread::sleep_for(std::chrono::microseconds(i * 37 % 1000));
    }
    CHECK(lifetimes.made() == lifetimes.ended());
  }
}

TEST_CASE("a hundred workers on a small machine run all tasks, and sleep when there are none") {
  Runtime runtime(test_options(100));
  CHECK(runtime.worker_count() == 100);
  base::Atomic<int> count{0};
  runtime.block_on([&]() -> Task<> {
    auto body = [&](Scope& scope) -> Task<> {
      const auto work = [](Borrowed<base::Atomic<int>> ran) -> Task<> {
        co_await sleep_for(1ms);
        co_await yield();
        ran.get().fetch_add(1, base::relaxed);  // relaxed: read when all tasks are done
      };
      for (int i = 0; i != 2000; ++i) scope.spawn(work, borrow(count));
      co_return;
    };
    co_await with_scope(body);
  });
  CHECK(count.load(base::relaxed) == 2000);  // relaxed: all are done
  for (std::uint32_t worker : {0u, 31u, 32u, 64u, 99u}) {
    auto task = runtime.spawn_on(worker, give, 1);
    CHECK(eventually([&] { return task.done(); }));
  }
  CHECK(eventually([&] {
    const RuntimeMetrics metrics = runtime.metrics();
    return std::all_of(metrics.workers.begin(), metrics.workers.end(), [](const auto& one) { return one.parked; });
  }));
}

TEST_CASE("an idle runtime uses no processor") {
  Runtime runtime(test_options(4));
  CHECK(runtime.block_on(give, 1) == 1);
  std::this_thread::sleep_for(100ms);  // the watchdog falls asleep in this time
  const auto used = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return std::chrono::seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           std::chrono::microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  const std::uint64_t parks = runtime.metrics().total().parks;
  const auto before = used();
  std::this_thread::sleep_for(300ms);
  CHECK(used() - before < 10ms);
  CHECK(runtime.metrics().total().parks == parks);
}

TEST_CASE("without stealing, a task stays on its worker whatever wakes it") {
  RuntimeOptions options = test_options(3);
  options.enable_stealing = false;
  Runtime runtime(options);
  std::vector<JoinHandle<bool>> tasks;
  for (int i = 0; i != 30; ++i) tasks.push_back(runtime.spawn(stays_on_one_worker, 50));
  const auto join_it = [](JoinHandle<bool> task) -> Task<bool> { co_return co_await std::move(task); };
  for (auto& task : tasks) CHECK(runtime.block_on(join_it, std::move(task)));
  CHECK(runtime.metrics().total().stolen == 0);
  CHECK(runtime.metrics().total().wakes_sent == 0);
  for (const auto& worker : runtime.metrics().workers) CHECK(worker.polls > 0);
}

TEST_CASE("without stealing, more tasks than the queue can hold stay on their worker as well") {
  RuntimeOptions options = test_options(2);
  options.enable_stealing = false;
  constexpr int kTasks = 2000;
  base::Atomic<int> ran{0};
  base::Atomic<int> elsewhere{0};
  Runtime runtime(options);  // after what its detached tasks borrow
  const auto count = [](Borrowed<base::Atomic<int>> all, Borrowed<base::Atomic<int>> others) -> Task<> {
    all.get().fetch_add(1, base::seq_cst);
    if (this_worker() != 0) others.get().fetch_add(1, base::seq_cst);
    co_return;
  };
  const auto keep_awake = [](Borrowed<base::Atomic<int>> all) -> Task<> {
    while (all.get().load(base::seq_cst) != kTasks) co_await yield();
  };
  runtime.spawn_on(1, keep_awake, borrow(ran)).detach();
  const auto spawn_all = [&]() -> Task<> {
    for (int i = 0; i != kTasks; ++i) spawn(count, borrow(ran), borrow(elsewhere)).detach();
    co_return;
  };
  runtime
      .spawn_on(
          0, [](Borrowed<const decltype(spawn_all)> all) -> Task<> { co_await all.get()(); }, borrow(spawn_all))
      .detach();
  CHECK(eventually([&] { return ran.load(base::seq_cst) == kTasks; }));
  CHECK(elsewhere.load(base::seq_cst) == 0);
}

TEST_CASE("the metrics are consistent") {
  Runtime runtime(test_options(3));
  runtime.block_on([&]() -> Task<> {
    auto body = [&](Scope& scope) -> Task<> {
      for (int i = 0; i != 1000; ++i) scope.spawn(give, i);
      for (int i = 0; i != 100; ++i) spawn(give, i).detach();
      co_await sleep_for(50ms);  // so long that it needs a timer, even if this thread loses its processor here
    };
    co_await with_scope(body);
  });
  CHECK(eventually([&] {
    const RuntimeMetrics metrics = runtime.metrics();
    const WorkerMetrics sum = metrics.total();
    return sum.tasks_finished == sum.tasks_spawned + metrics.spawned_outside && sum.polls >= sum.tasks_finished;
  }));
  const RuntimeMetrics metrics = runtime.metrics();
  const WorkerMetrics total = metrics.total();
  CHECK(metrics.spawned_outside == 1);
  CHECK(total.tasks_spawned == 1100);
  CHECK(total.tasks_finished == 1101);
  CHECK(metrics.live_tasks == 0);
  CHECK(metrics.global_queue_length == 0);
  // The class of the task from outside may be heavy: it shares its entry with functions of the same hash.
  CHECK(metrics.injected + total.from_heavy >= 1);
  CHECK(total.polls >= total.from_lifo + total.from_local);
  CHECK(total.polls <= total.from_lifo + total.from_local + total.from_pinned + total.from_global + total.from_heavy);
  CHECK(total.timers_fired >= 1);
  std::uint64_t stolen = 0;
  for (const std::uint64_t count : total.stolen_from) stolen += count;
  CHECK(total.stolen == stolen);
  CHECK(total.descriptors == 0);
}

TEST_CASE("a schedtrace line lists every worker") {
  Runtime runtime(test_options(3));
  const std::string line = schedtrace_line(runtime.metrics(), 1234);
  CHECK(line.starts_with("SCHED 1234ms: workers=3 parked="));
  CHECK(line.ends_with("[0 0 0]"));
  RuntimeMetrics huge;
  huge.workers.resize(100);
  for (auto& worker : huge.workers) worker.polls = worker.parks = worker.ring_enters = ~std::uint64_t{0} / 100;
  CHECK(schedtrace_line(huge, 1'000'000'000'000).ends_with("0 0 0]"));
}

#ifndef VOLT_ADDRESS_SANITIZER  // the sanitizer needs a pipe of its own to inspect objects
TEST_CASE("a runtime that cannot create its reactors throws, and leaks nothing") {
  const std::size_t before = test::open_descriptors();
  rlimit old_limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &old_limit) == 0);
  for (const std::size_t allowed : {6u, 7u}) {  // a reactor may have two descriptors, and either may be refused
    CAPTURE(allowed);
    const rlimit limit{.rlim_cur = before + allowed, .rlim_max = old_limit.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    bool threw = false;
    try {
      Runtime runtime(test_options(20));
    } catch (const std::system_error&) {  // decided: the test expects it
      threw = true;
    }
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &old_limit) == 0);
    CHECK(threw);
    CHECK(test::open_descriptors() == before);
  }
  Runtime runtime(test_options(2));
  CHECK(runtime.block_on(give, 3) == 3);
}
#endif

#if !defined(VOLT_ADDRESS_SANITIZER) && !defined(VOLT_THREAD_SANITIZER)  // their shadow memory exceeds any limit
TEST_CASE("a runtime that cannot create its threads throws") {
  const pid_t child = ::fork();
  if (child == 0) {  // the limit applies to the child process only
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = std::uint64_t{1} << 30;
    ::setrlimit(RLIMIT_AS, &limit);
    int status = 1;
    try {
      Runtime runtime(test_options(1000));
    } catch (const std::system_error&) {  // decided: the test expects it
      status = 0;
    }
    ::_exit(status);
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
#endif

TEST_SUITE_END();

}  // namespace volt
