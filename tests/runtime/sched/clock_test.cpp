// SPDX-License-Identifier: MIT

#include "runtime/sched/clock.h"

#include <doctest/doctest.h>

#include <mutex>
#include <thread>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/per_worker.h"
#include "runtime/runtime.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

// Entries that tasks append as they run; the tasks may be on several workers.
class Journal {
 public:
  void add(int entry) {
    const std::scoped_lock lock(mutex_);
    entries_.push_back(entry);
  }
  [[nodiscard]] std::vector<int> entries() {
    const std::scoped_lock lock(mutex_);
    return entries_;
  }

 private:
  std::mutex mutex_;
  std::vector<int> entries_;
};
using LogRef = Borrowed<Journal>;

RuntimeOptions manual_options(std::uint32_t workers) {
  RuntimeOptions options = test_options(workers);
  options.manual_clock = true;
  return options;
}

Task<> log_after(LogRef log, nanoseconds delay, int entry) {
  co_await sleep_for(delay);
  log.get().add(entry);
}

Task<> log_every(LogRef log, nanoseconds period) {
  for (int entry = 1;; ++entry) {
    co_await sleep_for(period);
    log.get().add(entry);
  }
}

Task<std::error_code> read_within(TcpStream stream, nanoseconds limit) {
  stream.set_read_deadline_in(limit);
  std::byte byte{};
  const Result<std::size_t> count = co_await stream.read({&byte, 1});
  co_return count ? std::error_code{} : count.error();
}

// Advances a day at a time: the deadline of a server's idle connection moves with each request.
Task<std::error_code> read_twice_within(TcpStream stream, nanoseconds limit) {
  std::byte byte{};
  stream.set_read_deadline_in(limit);
  const Result<std::size_t> first = co_await stream.read({&byte, 1});
  if (!first) co_return first.error();
  stream.set_read_deadline_in(limit);
  const Result<std::size_t> second = co_await stream.read({&byte, 1});
  co_return second ? std::error_code{} : second.error();
}

Task<nanoseconds> time_now() { co_return coarse_now(); }

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/clock");

TEST_CASE("a time beyond the range becomes the last one before kNever") {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max() - 1;
  struct Case {
    const char* why;
    std::int64_t now_ns;
    nanoseconds duration;
    std::int64_t want_ns;
  };
  const Case cases[] = {
      {"an ordinary duration", 1'000, 5ns, 1'005},
      {"zero", 1'000, 0ns, 1'000},
      {"a negative duration", 1'000, -5ns, 995},
      {"the longest duration", 1'000, nanoseconds::max(), kLast},
      {"just inside the range", 1'000, nanoseconds(kLast - 1'000), kLast},
  };
  for (const auto& [why, now_ns, duration, want_ns] : cases) {
    CAPTURE(std::string(why));
    CHECK(sched::moment_after(now_ns, duration) == want_ns);
  }
}

TEST_CASE("an advance fires exactly the timers within it") {
  for (const std::uint32_t workers : {1U, 2U}) {
    CAPTURE(workers);
    Runtime runtime(manual_options(workers));
    Journal log;
    auto hour = runtime.spawn(log_after, borrow(log), 1h, 1);
    auto longest = runtime.spawn(log_after, borrow(log), nanoseconds::max(), 2);
    runtime.advance_clock(0s);
    std::this_thread::sleep_for(5ms);
    CHECK(log.entries().empty());
    runtime.advance_clock(59min);
    CHECK(log.entries().empty());
    runtime.advance_clock(1min);
    CHECK(log.entries() == std::vector{1});
    CHECK(hour.done());
    CHECK(!longest.done());
  }
}

TEST_CASE("timers fire in the order of their deadlines, on whichever worker they are") {
  Runtime runtime(manual_options(2));
  Journal log;
  std::vector<int> want;
  for (int i = 0; i != 20; ++i) {
    want.push_back(i);
    const int turn = i * 7 % 20;
    runtime.spawn_on(static_cast<std::uint32_t>(i % 2), log_after, borrow(log), turn * 10ms, turn).detach();
  }
  runtime.advance_clock(1s);
  CHECK(log.entries() == want);
}

TEST_CASE("a task that sleeps again sleeps from the time at which it woke") {
  Runtime runtime(manual_options(2));
  Journal log;
  auto ticking = runtime.spawn(log_every, borrow(log), 1s);
  runtime.advance_clock(10500ms);
  CHECK(log.entries().size() == 10);
  runtime.advance_clock(1s);
  CHECK(log.entries().size() == 11);
  ticking.cancel();
}

TEST_CASE("an advance by the sum of many sleeps ends all of them, and an advance by less does not") {
  Runtime runtime(manual_options(2));
  Journal log;
  auto ticking = runtime.spawn(log_every, borrow(log), 1001us);
  runtime.advance_clock(999us * 1001);
  CHECK(log.entries().size() == 999);
  runtime.advance_clock(1000us);
  CHECK(log.entries().size() == 999);
  runtime.advance_clock(1us);
  CHECK(log.entries().size() == 1000);
  ticking.cancel();
}

TEST_CASE("an advance waits for work that is under way, so that no sleep starts late") {
  Runtime runtime(manual_options(2));
  for (int i = 0; i != 200; ++i) {
    Journal log;
    auto sleeper = runtime.spawn(log_after, borrow(log), 3s, 1);
    runtime.advance_clock(3s);
    REQUIRE(sleeper.done());
  }
}

TEST_CASE("deadlines of sockets follow the clock") {
  Runtime runtime(manual_options(1));
  test::Pair pair = test::unix_pair();
  auto reading = runtime.spawn(read_within, TcpStream(pair.near.release()), 3s);
  runtime.advance_clock(2900ms);
  CHECK(!reading.done());
  runtime.advance_clock(100ms);
  REQUIRE(reading.done());
  auto outcome = [&]() -> Task<std::error_code> { co_return co_await std::move(reading); };
  CHECK(runtime.block_on(outcome) == std::errc::timed_out);
}

// Reads with a deadline that is set in a turn that has lasted for `turn`.
Task<std::error_code> read_late_within(TcpStream stream, Borrowed<Runtime> runtime, nanoseconds turn,
                                       nanoseconds limit) {
  runtime.get().advance_clock(turn);
  co_return co_await read_within(std::move(stream), limit);
}

TEST_CASE("the deadline of a socket counts from the call, however long the turn has lasted") {
  Runtime runtime(manual_options(1));
  test::Pair pair = test::unix_pair();
  auto reading = runtime.spawn(read_late_within, TcpStream(pair.near.release()), borrow(runtime), 2s, 1s);
  runtime.advance_clock(900ms);
  CHECK(!reading.done());
  runtime.advance_clock(100ms);
  CHECK(reading.done());
}

TEST_CASE("bytes sent before an advance are read before the time moves") {
  Runtime runtime(manual_options(1));
  for (int i = 0; i != 100; ++i) {
    test::Pair pair = test::unix_pair();
    auto reading = runtime.spawn(read_twice_within, TcpStream(pair.near.release()), 3s);
    runtime.advance_clock(2s);
    REQUIRE(test::send_all(pair.far.get(), "a"));
    runtime.advance_clock(2s);  // past the first deadline, within the one that the byte moved
    REQUIRE(!reading.done());
    runtime.advance_clock(1s);
    REQUIRE(reading.done());
  }
}

TEST_CASE("a limit on a task follows the clock, and so does coarse_now") {
  Runtime runtime(manual_options(2));
  auto limited = [](nanoseconds limit) -> Task<bool> {
    auto forever = []() -> Task<> { co_await sleep_for(nanoseconds::max()); };
    const Result<void> outcome = co_await within(limit, forever);
    co_return outcome.has_value();
  };
  const nanoseconds before = runtime.block_on(time_now);
  auto task = runtime.spawn(limited, 1h);
  runtime.advance_clock(59min);
  CHECK(!task.done());
  runtime.advance_clock(1min);
  CHECK(task.done());
  const nanoseconds passed = runtime.block_on(time_now) - before;
  CHECK(passed == 1h);
}

TEST_CASE("an advance within a task moves the time at once") {
  for (const std::uint32_t workers : {1U, 2U}) {
    CAPTURE(workers);
    Runtime runtime(manual_options(workers));
    auto body = [&]() -> Task<> {
      auto forever = []() -> Task<> { co_await sleep_for(1h); };
      auto sleeper = spawn(forever);
      co_await yield();
      while (!sleeper.done()) {
        runtime.advance_clock(1h);
        co_await yield();
      }
    };
    runtime.block_on(body);
  }
}

TEST_CASE("two threads may advance at once") {
  Runtime runtime(manual_options(2));
  Journal log;
  auto ticking = runtime.spawn(log_every, borrow(log), 1s);
  auto half = [&] {
    for (int i = 0; i != 50; ++i) runtime.advance_clock(1s);
  };
  std::thread other(half);
  half();
  other.join();
  CHECK(log.entries().size() >= 99);
  ticking.cancel();
}

TEST_CASE("a runtime with a manual clock stops while tasks sleep") {
  Journal log;
  {
    Runtime runtime(manual_options(2));
    for (int i = 0; i != 100; ++i) runtime.spawn(log_after, borrow(log), 1h, 1).detach();
  }
  CHECK(log.entries().empty());
}

TEST_SUITE_END();

}  // namespace volt
