// SPDX-License-Identifier: MIT

#include "runtime/rw_lock.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "runtime/borrowed.h"
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
  std::string log;  // the tasks that got the lock, in order
  std::uint64_t value = 0;
  base::Atomic<std::size_t> readers{0};
  base::Atomic<std::size_t> writers{0};
};
using SharedRef = Borrowed<Shared>;

// Each task holds the lock for a second of the bench's clock.
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
    CHECK(shared.get().writers.load(base::relaxed) == 0);  // relaxed: only the test reads it
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

TEST_CASE("try_read() and try_write() admit many readers or one writer, on any thread") {
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

TEST_CASE("a waiting writer stops new readers, and readers wait for at most one writer") {
  Shared shared;
  ManualClockRuntime bench;
  std::vector<JoinHandle<void>> tasks;
  auto come = [&](Task<> (*coroutine)(SharedRef, char), char name) {
    tasks.push_back(bench.runtime.spawn(coroutine, borrow(shared), name));
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
  CHECK((shared.log == "abWcd" || shared.log == "abWdc"));  // the readers enter together, before the second writer
  bench.runtime.advance_clock(1s);
  CHECK(shared.log.substr(5) == "X");
  bench.runtime.advance_clock(1s);
  for (auto& task : tasks) CHECK(task.done());
  CHECK(unused(shared.lock));
}

TEST_CASE("a cancelled writer admits the readers that waited for it") {
  Shared shared;
  ManualClockRuntime bench;
  auto holding = bench.runtime.spawn(read, borrow(shared), 'a');
  bench.settle();
  auto writing = bench.runtime.spawn(write, borrow(shared), 'W');
  bench.settle();
  auto reading = bench.runtime.spawn(read, borrow(shared), 'b');
  bench.settle();
  CHECK(shared.log == "a");
  writing.cancel();
  bench.settle();
  CHECK(shared.log == "ab");
  CHECK(bench.runtime.block_on(outcome_of<void>, std::move(writing)) == Outcome::cancelled);
}

TEST_CASE("a task that is cancelled after it was admitted releases the lock") {
  Shared shared;
  ManualClockRuntime bench;
  for (const bool writes : {true, false}) {
    CAPTURE(writes);
    auto body = [&]() -> Task<> {
      std::optional<RwLock::WriteGuard> guard = shared.lock.try_write();
      auto waiting = writes ? spawn(write, borrow(shared), 'W') : spawn(read, borrow(shared), 'r');
      co_await yield();
      guard.reset();
      CHECK(!shared.lock.try_write());  // the cancelled task holds the lock by now
      waiting.cancel();
      const Outcome outcome = co_await outcome_of(std::move(waiting));
      CHECK(outcome == Outcome::cancelled);
    };
    bench.runtime.block_on(body);
    CHECK(shared.log.empty());
    CHECK(unused(shared.lock));
  }
}

TEST_CASE("readers and writers never hold the lock together, whichever tasks are cancelled") {
  Shared shared;
  Runtime runtime(test_options());
  for (std::uint64_t round = 0; round != test::stress_rounds(60); ++round) {
    std::vector<JoinHandle<void>> tasks;
    for (int i = 0; i != 8; ++i) {
      const bool writes = i % 3 == 0;
      tasks.push_back(writes ? runtime.spawn(write_often, borrow(shared), std::uint64_t{20})
                             : runtime.spawn(read_often, borrow(shared), std::uint64_t{20}));
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
