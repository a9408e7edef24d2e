// SPDX-License-Identifier: MIT

#include "runtime/sched/worker.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/notify.h"
#include "runtime/per_worker.h"
#include "runtime/runtime.h"
#include "runtime/scope.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "runtime/work_class.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using namespace std::chrono_literals;
using Flag = Borrowed<base::Atomic<bool>>;
using Count = Borrowed<base::Atomic<int>>;

// A place where a task waits until another task of the same worker wakes it. For runtimes with one worker.
struct Seat {
  sched::TaskHeader* taken_by = nullptr;
};

class Sit final : public sched::Suspension {
 public:
  explicit Sit(Seat& seat) noexcept : seat_(seat) {}
  [[nodiscard]] bool await_ready() noexcept { return begin(); }
  void await_suspend(coro::AwaitPoint point) noexcept {
    suspend_at(point, WaitsFor::nothing);
    seat_.taken_by = task;
  }
  void await_resume() const { throw_if_cancelled(); }
  bool cancel() noexcept override {
    if (std::exchange(seat_.taken_by, nullptr) == nullptr) return false;
    set_cancelled();
    return true;
  }

 private:
  Seat& seat_;
};

// Wakes the task in `theirs` and waits in `mine`, repeatedly.
Task<> ping(Borrowed<Seat> mine, Borrowed<Seat> theirs, Count pings, Flag over) {
  while (!over.get().load(base::seq_cst)) {
    if (pings.get().fetch_add(1, base::seq_cst) > 100'000) break;  // it has starved the rest
    if (auto* other = std::exchange(theirs.get().taken_by, nullptr)) sched::wake(*other);
    co_await Sit(mine.get());
  }
  if (auto* other = std::exchange(theirs.get().taken_by, nullptr)) sched::wake(*other);
}

Task<> set(Flag flag) {
  flag.get().store(true, base::seq_cst);
  co_return;
}

Task<> work_until(Flag over, std::chrono::nanoseconds each) {
  while (!over.get().load(base::seq_cst)) {
    test::burn(each);
    co_await yield();
  }
}

Task<> echo(TcpStream stream) {
  std::array<std::byte, 64> buffer;
  for (;;) {
    const Result<std::size_t> count = co_await stream.read(buffer);
    if (!count || *count == 0) co_return;
    static_cast<void>(co_await stream.write_all(std::span(buffer).first(*count)));
  }
}

// Ends tasks before their runtime is destroyed, also in a test that fails.
struct OverAtEnd {
  base::Atomic<bool>& over;
  ~OverAtEnd() { over.store(true, base::seq_cst); }
};

struct Places {
  std::mutex mutex;
  std::multiset<std::uint32_t> workers;
};

Task<> burn_and_note(Borrowed<Places> places, std::chrono::nanoseconds duration) {
  test::burn(duration);
  const std::scoped_lock lock(places.get().mutex);
  places.get().workers.insert(this_worker());
  co_return;
}

Task<> count_turns(Flag over, Count turns) {
  while (!over.get().load(base::seq_cst)) {
    turns.get().fetch_add(1, base::seq_cst);
    co_await yield();
  }
}

// Returns the largest number of turns of others between two of this urgent task.
Task<int> most_turns_of_others(Count turns) {
  static_cast<void>(begin_work(WorkClass::urgent()));
  int most = 0;
  for (int i = 0; i != 1000; ++i) {
    const int before = turns.get().load(base::seq_cst);
    co_await yield();
    most = std::max(most, turns.get().load(base::seq_cst) - before);
  }
  co_return most;
}

Task<> wait_as_urgent(Borrowed<Notify> notify, Flag waits, Flag ran) {
  static_cast<void>(begin_work(WorkClass::urgent()));
  waits.get().store(true, base::seq_cst);
  co_await notify.get().notified();
  ran.get().store(true, base::seq_cst);
}

// Wakes a task and does not suspend until it has run.
Task<bool> wake_and_keep_the_worker(Borrowed<Notify> notify, Flag ran) {
  notify.get().notify_one();
  co_return eventually([&] { return ran.get().load(base::seq_cst); });
}

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/worker");

TEST_CASE("two tasks that wake each other endlessly do not starve a third") {
  Runtime runtime(test_options(1));
  Seat one;
  Seat two;
  base::Atomic<int> pings{0};
  base::Atomic<bool> over{false};
  runtime.block_on([&]() -> Task<> {
    auto body = [&](Scope& scope) -> Task<> {
      scope.spawn(ping, borrow(one), borrow(two), Count(pings), Flag(over));
      scope.spawn(ping, borrow(two), borrow(one), Count(pings), Flag(over));
      for (int i = 0; i != 100; ++i) co_await yield();  // the third task
      over.store(true, base::seq_cst);
    };
    co_await with_scope(body);
  });
  CHECK(pings.load(base::seq_cst) < 2000);
}

TEST_CASE("a task whose socket is always ready does not starve other tasks") {
  Runtime runtime(test_options(1));
  test::Pair pair = test::unix_pair();
  pair.far.close();  // an end of stream can always be read
  int turns = 0;
  int reads = 0;
  runtime.block_on([&]() -> Task<> {
    base::Atomic<bool> over{false};
    auto neighbor = [&]() -> Task<> {
      while (!over.load(base::seq_cst)) {
        ++turns;
        co_await yield();
      }
    };
    auto greedy = [&]() -> Task<> {
      TcpStream stream(pair.near.release());
      std::byte byte{};
      for (; reads != 10'000; ++reads) static_cast<void>(co_await stream.read({&byte, 1}));
      over.store(true, base::seq_cst);
    };
    co_await all(neighbor, greedy);
  });
  CHECK(reads == 10'000);
  CHECK(turns > 50);
}

TEST_CASE("while the local queue is never empty, work from every other source still gets a turn") {
  for (const std::uint32_t workers : {1u, 2u}) {
    CAPTURE(workers);
    base::Atomic<bool> over{false};
    Runtime runtime(test_options(workers));
    const OverAtEnd end{over};
    std::array<base::Atomic<bool>, 3> done{};
    test::Pair pair = test::unix_pair();
    runtime.spawn(echo, TcpStream(pair.near.release())).detach();
    for (std::uint32_t i = 0; i != 16 * workers; ++i) runtime.spawn_on(i, work_until, Flag(over), 20us).detach();
    std::this_thread::sleep_for(20ms);

    runtime.spawn(set, Flag(done[0])).detach();
    CHECK(eventually([&] { return done[0].load(base::seq_cst); }));  // with two workers: from the global queue
    runtime.spawn_on(0, set, Flag(done[1])).detach();
    CHECK(eventually([&] { return done[1].load(base::seq_cst); }));  // from the inbox
    const auto sleep_and_set = [](Flag flag) -> Task<> {
      co_await sleep_for(1ms);
      flag.get().store(true, base::seq_cst);
    };
    runtime.spawn(sleep_and_set, Flag(done[2])).detach();
    CHECK(eventually([&] { return done[2].load(base::seq_cst); }));  // from the timers
    CHECK(test::send_all(pair.far.get(), "x"));
    CHECK(test::receive_exactly(pair.far.get(), 1) == "x");  // from the reactor
  }
}

TEST_CASE("an urgent task gets a turn after each collection of events, however many tasks wait") {
  base::Atomic<bool> over{false};
  base::Atomic<int> turns{0};
  Runtime runtime(test_options(1));
  const OverAtEnd at_end{over};
  constexpr int kTasks = 1000;
  for (int i = 0; i != kTasks; ++i) runtime.spawn(count_turns, Flag(over), Count(turns)).detach();
  CHECK(eventually([&] { return turns.load(base::seq_cst) > 2 * kTasks; }));
  const int most = runtime.block_on(most_turns_of_others, Count(turns));
  CHECK(most > 0);
  CHECK(most <= static_cast<int>(sched::TickBudget::kPollsBeforeIo));
}

TEST_CASE("an urgent task that waits for a stuck worker is run by another one") {
  base::Atomic<bool> waits{false};
  base::Atomic<bool> ran{false};
  Notify notify;
  Runtime runtime(test_options(2));
  auto urgent = runtime.spawn(wait_as_urgent, borrow(notify), Flag(waits), Flag(ran));
  CHECK(eventually([&] { return waits.load(base::seq_cst); }));
  CHECK(runtime.block_on(wake_and_keep_the_worker, borrow(notify), Flag(ran)));
}

TEST_CASE("tasks that compute for long are spread over the workers") {
  for (const bool rescue : {true, false}) {
    CAPTURE(rescue);
    RuntimeOptions options = test_options(2);
    options.enable_rescue = rescue;
    Runtime runtime(options);
    Places places;
    runtime.block_on([&]() -> Task<> {
      auto body = [&](Scope& scope) -> Task<> {
        for (int i = 0; i != 40; ++i) scope.spawn(burn_and_note, borrow(places), 10ms);
        co_return;
      };
      co_await with_scope(body);
    });
    CHECK(places.workers.size() == 40);
    if (rescue) {
      CHECK(places.workers.count(0) >= 5);
      CHECK(places.workers.count(1) >= 5);
    }
    MESSAGE("rescue " << rescue << ": " << places.workers.count(0) << " on the first worker, "
                      << places.workers.count(1) << " on the second");
  }
}

TEST_CASE("a worker that lives on stolen tasks still serves its own sockets") {
  base::Atomic<bool> over{false};
  Runtime runtime(test_options(2));
  const OverAtEnd end{over};
  std::vector<test::Pair> pairs;
  for (std::uint32_t i = 0; i != 4; ++i) {
    pairs.push_back(test::unix_pair());
    runtime.spawn_on(i % 2, echo, TcpStream(pairs.back().near.release())).detach();
  }
  std::this_thread::sleep_for(5ms);
  const auto produce = [](Flag over) -> Task<> {
    const auto work = [](std::chrono::nanoseconds duration) -> Task<> {
      test::burn(duration);
      co_return;
    };
    while (!over.get().load(base::seq_cst)) {
      auto body = [&](Scope& scope) -> Task<> {
        for (int i = 0; i != 4; ++i) scope.spawn(work, 30us);
        co_return;
      };
      co_await with_scope(body);
    }
  };
  runtime.spawn(produce, Flag(over)).detach();
  constexpr int kRounds = 300;
  int slow_rounds = 0;
  for (int round = 0; round != kRounds; ++round) {
    const std::int64_t start_ns = sched::now_ns();
    for (const auto& pair : pairs) REQUIRE(test::send_all(pair.far.get(), "x"));
    for (const auto& pair : pairs) REQUIRE(test::receive_exactly(pair.far.get(), 1) == "x");
    slow_rounds += static_cast<int>(sched::now_ns() - start_ns > 100'000'000);
  }
  // Some are slow on a machine that does other work; all are if the worker does not look at its sockets.
  if (!test::kSanitized) CHECK(slow_rounds < kRounds / 2);
}

TEST_CASE("tasks that do not fit into the local queue take turns with those that do") {
  constexpr int kTasks = 3'000;
  constexpr int kRounds = 20;
  struct Turns {
    std::vector<int> of = std::vector<int>(kTasks);
    int fewest = -1;  // when the first task has had all of its turns
  };
  const auto take_turns = [](Borrowed<Turns> turns, int task) -> Task<> {
    for (int round = 0; round != kRounds; ++round) {
      ++turns.get().of[task];
      co_await yield();
    }
    if (turns.get().fewest < 0) turns.get().fewest = *std::ranges::min_element(turns.get().of);
  };
  Turns turns;
  Runtime runtime(test_options(1));
  runtime.block_on([&]() -> Task<> {
    auto body = [&](Scope& scope) -> Task<> {
      for (int i = 0; i != kTasks; ++i) scope.spawn(take_turns, Borrowed<Turns>(turns), int(i));
      co_return;
    };
    co_await with_scope(body);
  });
  CHECK(turns.fewest >= kRounds - 1);
}

TEST_CASE("a local queue that overflows loses nothing") {
  for (const std::uint32_t workers : {1u, 3u}) {
    Runtime runtime(test_options(workers));
    base::Atomic<int> ran{0};
    const auto count_one = [](Count count) -> Task<> {
      co_await yield();
      count.get().fetch_add(1, base::seq_cst);
    };
    runtime.block_on([&]() -> Task<> {
      auto body = [&](Scope& scope) -> Task<> {
        for (int i = 0; i != 5000; ++i) scope.spawn(count_one, Count(ran));
        co_return;
      };
      co_await with_scope(body);
    });
    CHECK(ran.load(base::seq_cst) == 5000);
    if (workers == 1) CHECK(runtime.metrics().total().queue_overflows > 0);
  }
}

TEST_SUITE_END();

}  // namespace volt
