// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "runtime/blocking.h"
#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/runtime.h"
#include "runtime/sched/random.h"
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

using test::Lifetimes;
using test::stress_rounds;
using namespace std::chrono_literals;
using LifetimesRef = Borrowed<Lifetimes>;

// Each of these tasks waits for an event that comes about `delay` later, unless it is cancelled before.

Task<> wait_sleeping(LifetimesRef lifetimes, std::chrono::nanoseconds delay) {
  const auto token = lifetimes.get().token();
  co_await sleep_for(delay);
}

Task<> write_after(LifetimesRef lifetimes, std::chrono::nanoseconds delay, TcpStream stream) {
  const auto token = lifetimes.get().token();
  co_await sleep_for(delay);
  const std::byte byte{};
  static_cast<void>(co_await stream.write_all({&byte, 1}));
}

Task<> wait_reading(LifetimesRef lifetimes, std::chrono::nanoseconds delay) {
  const auto token = lifetimes.get().token();
  test::Pair pair = test::unix_pair();
  TcpStream near(pair.near.release());
  TcpStream far(pair.far.release());
  auto writer = spawn(write_after, lifetimes, delay, std::move(far));
  near.set_read_deadline_in(2 * delay);
  std::byte byte{};
  static_cast<void>(co_await near.read({&byte, 1}));
}

Task<> wait_joining(LifetimesRef lifetimes, std::chrono::nanoseconds delay) {
  const auto token = lifetimes.get().token();
  co_await spawn(wait_sleeping, lifetimes, delay);
}

Task<> wait_in_scope(LifetimesRef lifetimes, std::chrono::nanoseconds delay) {
  const auto token = lifetimes.get().token();
  auto body = [&](Scope& scope) -> Task<> {
    scope.spawn(wait_sleeping, lifetimes, delay);
    scope.spawn(wait_joining, lifetimes, delay / 2);
    co_return;
  };
  co_await with_scope(body);
}

Task<> wait_in_race(LifetimesRef lifetimes, std::chrono::nanoseconds delay) {
  const auto token = lifetimes.get().token();
  auto one = [&] { return wait_sleeping(lifetimes, delay); };
  auto two = [&] { return wait_joining(lifetimes, delay); };
  co_await race(one, two);
}

Task<> wait_within(LifetimesRef lifetimes, std::chrono::nanoseconds delay) {
  const auto token = lifetimes.get().token();
  auto work = [&] { return wait_in_scope(lifetimes, delay); };
  static_cast<void>(co_await within(delay, work));
}

Task<> wait_blocking(LifetimesRef lifetimes, std::chrono::nanoseconds delay) {
  const auto token = lifetimes.get().token();
  auto work = [delay] { test::burn(delay / 4); };
  co_await blocking(work);
}

Task<> wait_yielding(LifetimesRef lifetimes, std::chrono::nanoseconds delay) {
  const auto token = lifetimes.get().token();
  const std::int64_t end_ns = sched::now_ns() + delay.count();
  while (sched::now_ns() < end_ns) co_await yield();
}

Task<> wait_shielded(LifetimesRef lifetimes, std::chrono::nanoseconds delay) {
  const auto token = lifetimes.get().token();
  auto work = [&] { return wait_joining(lifetimes, delay); };
  co_await shield(work);
  co_await sleep_for(delay);
}

using Wait = Task<> (*)(LifetimesRef, std::chrono::nanoseconds);
constexpr Wait kWaits[] = {wait_sleeping, wait_reading,  wait_joining,  wait_in_scope, wait_in_race,
                           wait_within,   wait_blocking, wait_yielding, wait_shielded};

constexpr std::chrono::seconds kLimit{10};  // beside busy processes, each round may wait for a processor

}  // namespace

TEST_SUITE_BEGIN("stress/cancel_stress");

TEST_CASE("a cancel that races with the awaited event: each frame is destroyed once, each task ends") {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    CAPTURE(workers);
    Lifetimes lifetimes;
    {
      RuntimeOptions options = test_options(workers);
      options.blocking_threads_max = 2;
      Runtime runtime(options);
      std::vector<std::thread> threads;
      for (std::uint32_t i = 0; i != 3; ++i) {
        threads.emplace_back([&, i] {
          sched::Random random(i * 100 + workers);
          std::vector<JoinHandle<void>> in_flight;
          test::TimedRounds rounds(stress_rounds(40'000), kLimit);
          while (rounds.next()) {
            const auto delay = std::chrono::nanoseconds(random.below(200'000));
            in_flight.push_back(runtime.spawn(kWaits[random.below(std::size(kWaits))], borrow(lifetimes), delay));
            if (in_flight.size() < 4) continue;
            // The oldest task is about done at this point; a random one may be at any point.
            if (random.below(4) != 0) in_flight[random.below(4)].cancel();
            if (random.below(2) == 0) test::burn(std::chrono::nanoseconds(random.below(100'000)));
            in_flight.front().cancel();
            if (random.below(2) == 0) {
              static_cast<void>(runtime.block_on(test::outcome_of<void>, std::move(in_flight.front())));
            }
            in_flight.erase(in_flight.begin());
          }
        });
      }
      for (auto& thread : threads) thread.join();
      CHECK(test::eventually([&] { return runtime.metrics().live_tasks == 0; }));
    }
    MESSAGE(lifetimes.made() << " frames on " << workers << " workers");
    CHECK(lifetimes.made() == lifetimes.ended());
  }
}

TEST_SUITE_END();

}  // namespace volt
