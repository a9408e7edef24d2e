// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/channel.h"
#include "runtime/concurrent.h"
#include "runtime/mutex.h"
#include "runtime/notify.h"
#include "runtime/per_worker.h"
#include "runtime/runtime.h"
#include "runtime/scope.h"
#include "runtime/spawn.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;
using Flag = Borrowed<base::Atomic<bool>>;
using Count = Borrowed<base::Atomic<int>>;

constexpr std::uint32_t kWorkers = 3;

// Counts the turns of a task, and those that ran on another worker.
struct Watch {
  std::uint32_t home = 0;
  base::Atomic<int> turns{0};
  base::Atomic<int> strays{0};

  void look() {
    turns.fetch_add(1, base::seq_cst);
    if (this_worker() != home) strays.fetch_add(1, base::seq_cst);
  }
};
using WatchRef = Borrowed<Watch>;

Task<> look_later(WatchRef watch) {
  watch.get().look();
  co_await sleep_for(1ms);
  watch.get().look();
}

Task<> yields(WatchRef watch) {
  for (int i = 0; i != 300; ++i) {
    watch.get().look();
    co_await yield();
  }
}

Task<> sleeps(WatchRef watch) {
  for (int i = 0; i != 20; ++i) {
    watch.get().look();
    co_await sleep_for(200us);
  }
}

Task<> has_children(WatchRef watch) {
  for (int i = 0; i != 10; ++i) {
    const auto child = [watch] { return look_later(watch); };
    co_await all(child, child);
    co_await race(child, child);
    static_cast<void>(co_await within(1h, child));
    auto body = [&](Scope& scope) -> Task<> {
      for (int n = 0; n != 4; ++n) scope.spawn(look_later, watch);
      co_return;
    };
    co_await with_scope(body);
    watch.get().look();
  }
}

// Alternates with a task that may run on any worker.
Task<> receives(WatchRef watch) {
  auto [sender, receiver] = channel<int>(1);
  const auto send = [](Sender<int> to) -> Task<> {
    for (int i = 0; i != 300; ++i) static_cast<void>(co_await to.send(i));
  };
  spawn(send, std::move(sender)).detach();
  for (int i = 0; i != 300; ++i) {
    const auto value = co_await receiver.receive();
    watch.get().look();
    if (value != i) watch.get().strays.fetch_add(1, base::seq_cst);
  }
}

Task<> reads(WatchRef watch) {
  test::Pair pair = test::unix_pair();
  TcpStream stream(pair.near.release());
  const auto write = [](TcpStream to) -> Task<> {
    const std::byte byte{};
    for (int i = 0; i != 100; ++i) {
      static_cast<void>(co_await to.write_all({&byte, 1}));
      co_await yield();
    }
  };
  spawn(write, TcpStream(pair.far.release())).detach();
  std::byte byte{};
  for (;;) {
    const Result<std::size_t> count = co_await stream.read({&byte, 1});
    watch.get().look();
    if (!count || *count == 0) co_return;
  }
}

Task<> joins(WatchRef watch) {
  const auto work = []() -> Task<> {
    test::burn(50us);
    co_return;
  };
  for (int i = 0; i != 50; ++i) {
    co_await spawn(work);
    watch.get().look();
  }
}

struct Case {
  const char* why;
  Task<> (*body)(WatchRef);
};
constexpr Case kCases[] = {
    {"yields to other tasks", yields},
    {"is woken by timers", sleeps},
    {"waits for children, which stay on the worker too", has_children},
    {"is woken by tasks of other workers", receives},
    {"is woken by a reactor", reads},
    {"joins tasks that run anywhere", joins},
};

// Keeps a worker busy until the flag is set.
Task<> noise(Flag over) {
  while (!over.get().load(base::seq_cst)) {
    test::burn(20us);
    co_await yield();
  }
}

struct OverAtEnd {
  base::Atomic<bool>& over;
  ~OverAtEnd() { over.store(true, base::seq_cst); }
};

}  // namespace

TEST_SUITE_BEGIN("runtime/spawn_local");

TEST_CASE("every turn of a local task is on its worker, whatever wakes it, while other workers steal") {
  for (const bool stealing : {true, false}) {
    for (const auto& [why, body] : kCases) {
      CAPTURE(stealing);
      CAPTURE(why);
      RuntimeOptions options = test_options(kWorkers);
      options.enable_stealing = stealing;
      base::Atomic<bool> over{false};
      std::array<Watch, kWorkers> watches;
      Runtime runtime(options);
      const OverAtEnd end{over};
      for (std::uint32_t i = 0; i != 2 * kWorkers; ++i) runtime.spawn(noise, Flag(over)).detach();
      std::vector<JoinHandle<void>> tasks;
      for (std::uint32_t i = 0; i != kWorkers; ++i) {
        watches[i].home = i;
        for (int n = 0; n != 3; ++n) tasks.push_back(runtime.spawn_local_on(i, body, WatchRef(watches[i])));
      }
      CHECK(eventually([&] { return std::ranges::all_of(tasks, [](const auto& task) { return task.done(); }); }, 60s));
      for (const Watch& watch : watches) {
        CHECK(watch.turns.load(base::seq_cst) >= 60);
        CHECK(watch.strays.load(base::seq_cst) == 0);
      }
      CHECK(runtime.metrics().total().from_pinned > 0);
    }
  }
}

TEST_CASE("spawn_local() keeps a task on the calling worker") {
  Runtime runtime(test_options(kWorkers));
  for (std::uint32_t home = 0; home != kWorkers; ++home) {
    Watch watch{.home = home};
    const auto parent = [](WatchRef seen) -> Task<> {
      co_await spawn_local(yields, seen);
      seen.get().look();
    };
    const auto join = [](JoinHandle<void> task) -> Task<> { co_await std::move(task); };
    runtime.block_on(join, runtime.spawn_local_on(home, parent, WatchRef(watch)));
    CHECK(watch.turns.load(base::seq_cst) == 301);
    CHECK(watch.strays.load(base::seq_cst) == 0);
  }
}

TEST_CASE("a cancelled local task unwinds on its worker") {
  Runtime runtime(test_options(kWorkers));
  Watch watch{.home = 1};
  base::Atomic<bool> waits{false};
  const auto wait = [](WatchRef seen, Flag waiting) -> Task<> {
    struct Unwinds {
      WatchRef seen;
      ~Unwinds() { seen.get().look(); }
    };
    const Unwinds unwinds{seen};
    Notify never;
    waiting.get().store(true, base::seq_cst);
    co_await never.notified();
  };
  auto task = runtime.spawn_local_on(1, wait, WatchRef(watch), Flag(waits));
  CHECK(eventually([&] { return waits.load(base::seq_cst); }));
  task.cancel();
  CHECK(runtime.block_on(outcome_of<void>, std::move(task)) == Outcome::cancelled);
  CHECK(watch.turns.load(base::seq_cst) == 1);
  CHECK(watch.strays.load(base::seq_cst) == 0);
}

TEST_CASE("local tasks and other tasks of one worker do not starve each other") {
  base::Atomic<bool> over{false};
  Runtime runtime(test_options(1));
  const OverAtEnd end{over};
  for (const bool local : {true, false}) {
    CAPTURE(local);
    for (int i = 0; i != 2; ++i) {
      local ? runtime.spawn_local_on(0, noise, Flag(over)).detach() : runtime.spawn(noise, Flag(over)).detach();
    }
    base::Atomic<int> turns{0};
    const auto count = [](Count counted) -> Task<> {
      for (int i = 0; i != 100; ++i) {
        counted.get().fetch_add(1, base::seq_cst);
        co_await yield();
      }
    };
    auto one = runtime.spawn(count, Count(turns));
    auto two = runtime.spawn_local_on(0, count, Count(turns));
    CHECK(eventually([&] { return one.done() && two.done(); }));
    CHECK(turns.load(base::seq_cst) == 200);
  }
}

TEST_CASE("a local task waits for its stuck worker, a movable task does not") {
  Runtime runtime(test_options(2));
  base::Atomic<bool> stuck{false};
  base::Atomic<bool> let_go{false};
  const auto get_stuck = [](Flag in, Flag out) -> Task<> {
    in.get().store(true, base::seq_cst);
    while (!out.get().load(base::seq_cst)) test::burn(100us);
    co_return;
  };
  runtime.spawn_local_on(0, get_stuck, Flag(stuck), Flag(let_go)).detach();
  REQUIRE(eventually([&] { return stuck.load(base::seq_cst); }));
  Watch watch{.home = 0};
  auto local = runtime.spawn_local_on(0, yields, WatchRef(watch));
  auto movable = runtime.spawn_on(0, noise, Flag(stuck));  // ends at its first turn, on any worker
  CHECK(eventually([&] { return movable.done(); }));
  CHECK(watch.turns.load(base::seq_cst) == 0);
  let_go.store(true, base::seq_cst);
  CHECK(eventually([&] { return local.done(); }));
  CHECK(watch.turns.load(base::seq_cst) == 300);
  CHECK(watch.strays.load(base::seq_cst) == 0);
}

TEST_CASE("local tasks of one worker share data without a lock") {
  // A sanitizer or a wrong sum would reveal two tasks that run at once.
  Runtime runtime(test_options(kWorkers));
  PerWorker<int> sums(kWorkers);
  const int rounds = static_cast<int>(test::stress_rounds(2000));
  const auto add = [](Borrowed<PerWorker<int>> into, int times) -> Task<> {
    int& mine = into.get().local();
    for (int i = 0; i != times; ++i) {
      ++mine;
      if (i % 3 == 0) co_await yield();
      if (i % 50 == 0) co_await sleep_for(50us);
    }
  };
  std::vector<JoinHandle<void>> tasks;
  for (std::uint32_t i = 0; i != 4 * kWorkers; ++i) {
    tasks.push_back(runtime.spawn_local_on(i % kWorkers, add, borrow(sums), rounds));
  }
  CHECK(eventually([&] { return std::ranges::all_of(tasks, [](const auto& task) { return task.done(); }); }, 60s));
  for (std::uint32_t i = 0; i != kWorkers; ++i) CHECK(sums.at(i) == 4 * rounds);
}

TEST_SUITE_END();

}  // namespace volt
