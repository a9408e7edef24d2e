// SPDX-License-Identifier: MIT

#include "runtime/cancel.h"

#include <doctest/doctest.h>

#include <memory>
#include <thread>
#include <vector>

#include "runtime/blocking.h"
#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/runtime.h"
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
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;
using LifetimesRef = Borrowed<Lifetimes>;

// Each of these functions waits forever.

Task<> sleep_for_ever(LifetimesRef lifetimes) {
  const auto token = lifetimes.get().token();
  co_await sleep_for(1h);
}

Task<> yield_for_ever(LifetimesRef lifetimes) {
  const auto token = lifetimes.get().token();
  for (;;) co_await yield();
}

Task<> read_for_ever(LifetimesRef lifetimes) {
  const auto token = lifetimes.get().token();
  test::Pair pair = test::unix_pair();
  TcpStream stream(pair.near.release());
  std::byte byte{};
  static_cast<void>(co_await stream.read({&byte, 1}));
}

Task<> read_with_deadline(LifetimesRef lifetimes) {
  const auto token = lifetimes.get().token();
  test::Pair pair = test::tcp_pair();
  TcpStream stream(pair.near.release());
  stream.set_read_deadline_in(1h);
  std::byte byte{};
  static_cast<void>(co_await stream.read({&byte, 1}));
}

Task<> write_for_ever(LifetimesRef lifetimes) {
  const auto token = lifetimes.get().token();
  test::Pair pair = test::unix_pair();
  TcpStream stream(pair.near.release());
  const std::vector<std::byte> much(16 * 1024 * 1024);
  static_cast<void>(co_await stream.write_all(much));
}

Task<> accept_for_ever(LifetimesRef lifetimes) {
  const auto token = lifetimes.get().token();
  auto listener = TcpListener::bind(Address::parse("127.0.0.1:0").value());
  static_cast<void>(co_await listener->accept());
}

Task<> join_for_ever(LifetimesRef lifetimes) {
  const auto token = lifetimes.get().token();
  auto task = spawn(sleep_for_ever, lifetimes);
  struct CancelAtEnd {
    JoinHandle<void>& task;
    ~CancelAtEnd() { task.cancel(); }
  } const cancel_at_end{task};  // cancelling a join does not cancel the joined task
  co_await std::move(task);
}

Task<> scope_for_ever(LifetimesRef lifetimes) {
  const auto token = lifetimes.get().token();
  auto body = [lifetimes](Scope& scope) -> Task<> {
    scope.spawn(sleep_for_ever, lifetimes);
    scope.spawn(read_for_ever, lifetimes);
    co_await sleep_for_ever(lifetimes);
  };
  co_await with_scope(body);
}

Task<> all_for_ever(LifetimesRef lifetimes) {
  const auto token = lifetimes.get().token();
  auto one = [lifetimes] { return sleep_for_ever(lifetimes); };
  auto two = [lifetimes] { return scope_for_ever(lifetimes); };
  co_await all(one, two);
}

Task<> race_for_ever(LifetimesRef lifetimes) {
  const auto token = lifetimes.get().token();
  auto one = [lifetimes] { return read_for_ever(lifetimes); };
  auto two = [lifetimes] { return all_for_ever(lifetimes); };
  co_await race(one, two);
}

Task<> within_for_ever(LifetimesRef lifetimes) {
  const auto token = lifetimes.get().token();
  auto work = [lifetimes] { return race_for_ever(lifetimes); };
  static_cast<void>(co_await within(1h, work));
}

Task<> queue_for_ever(LifetimesRef lifetimes) {
  const auto token = lifetimes.get().token();
  auto nothing = [] {};
  co_await blocking(nothing);
}

struct Case {
  const char* why;
  Task<> (*wait)(LifetimesRef);
};
constexpr Case kCases[] = {
    {"a sleep", sleep_for_ever},     {"a loop of yields", yield_for_ever},
    {"a read", read_for_ever},       {"a read with a deadline", read_with_deadline},
    {"a write", write_for_ever},     {"an accept", accept_for_ever},
    {"a join", join_for_ever},       {"a scope", scope_for_ever},
    {"an all()", all_for_ever},      {"a race", race_for_ever},
    {"a within()", within_for_ever}, {"a queue of blocking calls", queue_for_ever},
};

// Occupies the runtime's only blocking thread until this object is destroyed.
class BusyPool {
 public:
  explicit BusyPool(Runtime& runtime) {
    const auto hold = [](std::shared_ptr<base::Atomic<bool>> over) -> Task<> {
      auto wait = [over] {
        while (!over->load(base::seq_cst)) std::this_thread::sleep_for(1ms);
      };
      co_await blocking(wait);
    };
    runtime.spawn(hold, over_).detach();
    CHECK(eventually([&] { return runtime.metrics().blocking_threads == 1; }));
    CHECK(eventually([&] { return runtime.metrics().blocking_queue_length == 0; }));
  }
  ~BusyPool() { over_->store(true, base::seq_cst); }

 private:
  std::shared_ptr<base::Atomic<bool>> over_ = std::make_shared<base::Atomic<bool>>(false);
};

Task<Outcome> start_and_cancel(LifetimesRef lifetimes, Task<> (*wait)(LifetimesRef)) {
  auto task = spawn(wait, lifetimes);
  co_await yield();
  task.cancel();
  co_return co_await outcome_of(std::move(task));
}

}  // namespace

TEST_SUITE_BEGIN("runtime/cancel");

TEST_CASE("a cancelled task unwinds immediately from every kind of await, and its frames are destroyed once") {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    for (const auto& [why, wait] : kCases) {
      CAPTURE(workers);
      CAPTURE(why);
      Lifetimes lifetimes;
      RuntimeOptions options = test_options(workers);
      options.blocking_threads_max = 1;
      Runtime runtime(options);
      const BusyPool busy(runtime);
      for (int round = 0; round != 10; ++round) {
        const std::uint64_t made_before = lifetimes.made();
        auto task = runtime.spawn(wait, borrow(lifetimes));
        if (round < 8) {  // the task is in its await, or about to reach it
          CHECK(eventually([&] { return lifetimes.made() > made_before; }));
          std::this_thread::sleep_for(std::chrono::microseconds(round * 100));
        }
        task.cancel();
        CHECK(runtime.block_on(outcome_of<void>, std::move(task)) == Outcome::cancelled);
        CHECK(eventually([&] { return lifetimes.ended() == lifetimes.made(); }));
      }
    }
  }
}

TEST_CASE("a task that is cancelled while others run in its yield() does not continue") {
  Runtime runtime(test_options(1));
  bool continued = false;
  const auto yields = [](Borrowed<bool> flag) -> Task<> {
    co_await yield();
    flag.get() = true;
  };
  const auto cancels = [&]() -> Task<Outcome> {
    auto task = spawn(yields, borrow(continued));
    co_await yield();  // the task runs up to its own yield()
    task.cancel();
    co_return co_await outcome_of<void>(std::move(task));
  };
  CHECK(runtime.block_on(cancels) == Outcome::cancelled);
  CHECK(!continued);
}

TEST_CASE("a task that another task cancels unwinds from every kind of await") {
  for (const auto& [why, wait] : kCases) {
    CAPTURE(why);
    Lifetimes lifetimes;
    RuntimeOptions options = test_options(2);
    options.blocking_threads_max = 1;
    Runtime runtime(options);
    const BusyPool busy(runtime);
    for (int round = 0; round != 20; ++round) {
      CHECK(runtime.block_on(start_and_cancel, borrow(lifetimes), wait) == Outcome::cancelled);
    }
    CHECK(eventually([&] { return lifetimes.ended() == lifetimes.made(); }));
  }
}

TEST_CASE("a task that catches Cancelled gets it again at its next await") {
  Runtime runtime(test_options(1));
  base::Atomic<int> caught{0};
  const auto stubborn = [](Borrowed<base::Atomic<int>> count) -> Task<> {
    for (int i = 0; i != 3; ++i) {
      try {
        co_await sleep_for(1h);
      } catch (const Cancelled&) {  // decided: the test expects it
        count.get().fetch_add(1, base::seq_cst);
      }
    }
  };
  auto task = runtime.spawn(stubborn, borrow(caught));
  task.cancel();
  CHECK(runtime.block_on(outcome_of<void>, std::move(task)) == Outcome::value);  // the task returned normally
  CHECK(caught.load(base::seq_cst) == 3);
}

TEST_CASE("a cancel that the running worker has to deliver is safe if the task ends at that time") {
  // The cancel arrives while the task runs, and the task's wait is over as soon as it suspends: the thread that wakes
  // the task may finish it before the worker that ran it has returned from it. No handle exists by then.
  Lifetimes lifetimes;
  {
    Runtime runtime(test_options(4));
    const auto brief = [](LifetimesRef lives, int spin) -> Task<> {
      const auto token = lives.get().token();
      auto nothing = [] {};
      for (int i = 0; i != spin; ++i) base::spin_pause();
      co_await blocking(nothing);
    };
    const std::uint64_t rounds = test::stress_rounds(20'000);
    for (std::uint64_t round = 0; round != rounds; ++round) {
      auto task = runtime.spawn(brief, borrow(lifetimes), static_cast<int>(round % 300));
      for (std::uint64_t i = 0; i != round % 500; ++i) base::spin_pause();
      task.cancel();
    }
    CHECK(eventually([&] { return lifetimes.ended() == rounds; }));
  }
  CHECK(lifetimes.made() == lifetimes.ended());
}

TEST_SUITE_END();

}  // namespace volt
