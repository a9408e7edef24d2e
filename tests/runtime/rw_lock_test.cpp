#include "runtime/rw_lock.h"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "runtime/scope.h"
#include "runtime/select.h"
#include "runtime/time.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/occupancy_guard.h"
#include "tests/support/sanitizers.h"

namespace volt {
namespace {

using test::ManualClockRuntime;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;

struct Shared {
  RwLock lock;
  std::string log;  // who got in, in order
  std::uint64_t value = 0;
  base::Atomic<std::size_t> readers{0};
  base::Atomic<std::size_t> writers{0};
};
using SharedRef = std::reference_wrapper<Shared>;

// Each stays in for a second of the bench's clock.
Task<> read(SharedRef shared, char name) {
  const RwLock::ReadGuard guard = co_await shared.get().lock.read();
  shared.get().log += name;
  co_await sleep_for(1s);
}
Task<> write(SharedRef shared, char name) {
  const RwLock::WriteGuard guard = co_await shared.get().lock.write();
  shared.get().log += name;
  co_await sleep_for(1s);
}

Task<> read_often(SharedRef shared, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i != rounds; ++i) {
    const RwLock::ReadGuard guard = co_await shared.get().lock.read();
    const test::OccupancyGuard reading(shared.get().readers, 1);
    if (i % 3 == 0) co_await yield();
    CHECK(shared.get().writers.load(base::relaxed) == 0);  // relaxed: looked at by the test alone
  }
}
Task<> write_often(SharedRef shared, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i != rounds; ++i) {
    const RwLock::WriteGuard guard = co_await shared.get().lock.write();
    const test::OccupancyGuard writing(shared.get().writers, 1);
    CHECK(writing.count() == 1);
    const std::uint64_t before = shared.get().value;
    if (i % 3 == 0) co_await yield();
    shared.get().value = before + 1;
    CHECK(shared.get().readers.load(base::relaxed) == 0);  // relaxed: as above
  }
}

bool unused(RwLock& lock) { return static_cast<bool>(lock.try_write()); }

}  // namespace

TEST_SUITE_BEGIN("runtime/rw_lock");

TEST_CASE("many read or one writes, without waiting on any thread") {
  RwLock lock;
  {
    const auto first = lock.try_read();
    const auto second = lock.try_read();
    CHECK((first && second));
    CHECK(!lock.try_write());
  }
  {
    const auto writing = lock.try_write();
    CHECK(writing);
    CHECK(!lock.try_read());
    CHECK(!lock.try_write());
  }
  CHECK(unused(lock));
}

TEST_CASE("a waiting writer stops new readers, and readers wait for one writer only") {
  Shared shared;
  ManualClockRuntime bench;
  std::vector<JoinHandle<void>> tasks;
  auto come = [&](Task<> (*coroutine)(SharedRef, char), char name) {
    tasks.push_back(bench.runtime.spawn(coroutine, std::ref(shared), name));
    bench.settle();
  };
  come(read, 'a');
  come(read, 'b');
  CHECK(shared.log == "ab");
  come(write, 'W');
  come(read, 'c');
  come(write, 'X');
  come(read, 'd');
  CHECK(!shared.lock.try_read());
  CHECK(shared.log == "ab");
  bench.runtime.advance_clock(1s);
  CHECK(shared.log == "abW");
  bench.runtime.advance_clock(1s);
  CHECK((shared.log == "abWcd" || shared.log == "abWdc"));  // together, the second writer behind them
  bench.runtime.advance_clock(1s);
  CHECK(shared.log.substr(5) == "X");
  bench.runtime.advance_clock(1s);
  for (auto& task : tasks) CHECK(task.done());
  CHECK(unused(shared.lock));
}

TEST_CASE("a cancelled writer lets in the readers who waited for it") {
  Shared shared;
  ManualClockRuntime bench;
  auto holding = bench.runtime.spawn(read, std::ref(shared), 'a');
  bench.settle();
  auto writing = bench.runtime.spawn(write, std::ref(shared), 'W');
  bench.settle();
  auto reading = bench.runtime.spawn(read, std::ref(shared), 'b');
  bench.settle();
  CHECK(shared.log == "a");
  writing.cancel();
  bench.settle();
  CHECK(shared.log == "ab");
  CHECK(bench.runtime.block_on(outcome_of<void>, std::move(writing)) == Outcome::cancelled);
}

TEST_CASE("who is cancelled when it was let in goes out again") {
  Shared shared;
  ManualClockRuntime bench;
  for (const bool writes : {true, false}) {
    CAPTURE(writes);
    auto body = [&]() -> Task<> {
      std::optional<RwLock::WriteGuard> guard = shared.lock.try_write();
      auto waiting = writes ? spawn(write, std::ref(shared), 'W') : spawn(read, std::ref(shared), 'r');
      co_await yield();
      guard.reset();
      CHECK(!shared.lock.try_write());  // its own by now
      waiting.cancel();
      const Outcome outcome = co_await outcome_of(std::move(waiting));
      CHECK(outcome == Outcome::cancelled);
    };
    bench.runtime.block_on(body);
    CHECK(shared.log.empty());
    CHECK(unused(shared.lock));
  }
}

TEST_CASE("readers and writers never meet, on any worker, whoever is cancelled") {
  Shared shared;
  Runtime runtime(test_options());
  for (std::uint64_t round = 0; round != test::stress_rounds(60); ++round) {
    std::vector<JoinHandle<void>> tasks;
    for (int i = 0; i != 8; ++i) {
      const bool writes = i % 3 == 0;
      tasks.push_back(writes ? runtime.spawn(write_often, std::ref(shared), std::uint64_t{20})
                             : runtime.spawn(read_often, std::ref(shared), std::uint64_t{20}));
    }
    if (round % 2 == 1) {
      tasks[0].cancel();
      tasks[1].cancel();
    }
    for (auto& task : tasks) REQUIRE(test::eventually([&] { return task.done(); }));
    REQUIRE(unused(shared.lock));
  }
}

TEST_SUITE_END();

}  // namespace volt
