// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/runtime.h"
#include "runtime/sched/random.h"
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

Task<> burn_for(Lifetimes::Token, std::chrono::nanoseconds duration) {
  test::burn(duration);
  co_return;
}

Task<> echo(Lifetimes::Token, TcpStream stream) {
  std::array<std::byte, 64> buffer;
  for (;;) {
    const Result<std::size_t> count = co_await stream.read(buffer);
    if (!count || *count == 0) co_return;
    const Result<void> sent = co_await stream.write_all(std::span(buffer).first(*count));
    if (!sent) co_return;
  }
}

Task<> sleep_over_and_over(Lifetimes::Token, Borrowed<base::Atomic<std::int64_t>> worst) {
  for (std::uint32_t i = 0;; ++i) {
    const std::chrono::nanoseconds duration = std::chrono::microseconds(i * 17 % 700);
    const std::int64_t start_ns = sched::now_ns();
    co_await sleep_for(duration);
    const std::int64_t late_ns = sched::now_ns() - start_ns - duration.count();
    if (late_ns < 0) worst.get().store(-1, base::relaxed);        // relaxed: read when all is done
    const std::int64_t before = worst.get().load(base::relaxed);  // relaxed: only this task writes it
    if (before >= 0 && late_ns > before) worst.get().store(late_ns, base::relaxed);  // relaxed: as above
  }
}

// Returns a random duration for a long task. The watchdog finds a stuck worker after 4 to 8 ms while stalls are rare,
// and after 1 to 2 ms while it samples often. The durations lie around both times.
std::chrono::nanoseconds random_burn(sched::Random& random) {
  switch (random.below(10)) {
    case 0:
    case 1:
      return std::chrono::nanoseconds(random.below(100'000));
    case 2:
    case 3:
    case 4:
      return std::chrono::nanoseconds(3'500'000 + random.below(6'000'000));
    default:
      return std::chrono::nanoseconds(900'000 + random.below(1'600'000));
  }
}

}  // namespace

TEST_SUITE_BEGIN("stress/rescue_stress");

TEST_CASE("rescue races with the end of the long task: no event is lost and none is handled twice") {
  for (const std::uint32_t workers : {2u, 4u}) {
    Lifetimes lifetimes;
    base::Atomic<std::int64_t> worst_timer_ns{0};
    std::int64_t worst_echo_ns = 0;
    std::uint64_t wrong = 0;
    {
      constexpr int kPairs = 6;
      std::vector<test::Pair> pairs;
      for (int i = 0; i != kPairs; ++i) pairs.push_back(i % 2 == 0 ? test::tcp_pair() : test::unix_pair());
      Runtime runtime(test_options(workers));
      for (int i = 0; i != kPairs; ++i) {
        runtime
            .spawn_on(static_cast<std::uint32_t>(i) % workers, echo, lifetimes.token(),
                      TcpStream(pairs[i].near.release()))
            .detach();
      }
      runtime.spawn(sleep_over_and_over, lifetimes.token(), borrow(worst_timer_ns)).detach();
      sched::Random random(workers);
      const std::uint64_t enough = stress_rounds(2000);
      const auto rescued = [&runtime] { return runtime.metrics().total().rescues != 0; };
      std::uint64_t round = 0;
      for (; wrong == 0 && (round < enough || (!rescued() && round < 100 * enough)); ++round) {
        const std::uint32_t burners = 1 + random.below(workers - 1);
        for (std::uint32_t i = 0; i != burners; ++i) {
          runtime.spawn_on(random.below(workers), burn_for, lifetimes.token(), random_burn(random)).detach();
        }
        test::burn(std::chrono::nanoseconds(random.below(1'500'000)));
        const std::int64_t start_ns = sched::now_ns();
        const char letter = static_cast<char>('a' + round % 26);
        for (const auto& pair : pairs) wrong += test::send_all(pair.far.get(), {&letter, 1}) ? 0 : 1;
        for (const auto& pair : pairs) {
          wrong += test::receive_exactly(pair.far.get(), 1) == std::string(1, letter) ? 0 : 1;
        }
        worst_echo_ns = std::max(worst_echo_ns, sched::now_ns() - start_ns);
      }
      const WorkerMetrics total = runtime.metrics().total();
      MESSAGE(workers << " workers: " << round << " rounds, " << total.rescues << " rescues, " << total.stalls
                      << " stalls, " << total.migrated << " migrated, worst echo " << worst_echo_ns / 1000
                      << " us, worst timer " << worst_timer_ns.load(base::relaxed) / 1000 << " us");
      CHECK(total.rescues > 0);
    }
    CHECK(wrong == 0);
    CHECK(worst_timer_ns.load(base::relaxed) >= 0);  // relaxed: all is done
    CHECK(lifetimes.made() == lifetimes.ended());
  }
}

TEST_CASE("rescue races with shutdown") {
  Lifetimes lifetimes;
  sched::Random random(7);
  const std::uint64_t rounds = stress_rounds(600);
  for (std::uint64_t round = 0; round != rounds; ++round) {
    const std::uint32_t workers = 2 + random.below(3);
    std::vector<test::Pair> pairs;
    for (int i = 0; i != 4; ++i) pairs.push_back(test::unix_pair());
    base::Atomic<std::int64_t> worst_timer_ns{0};
    Runtime runtime(test_options(workers));
    for (auto& pair : pairs) {
      runtime.spawn(echo, lifetimes.token(), TcpStream(pair.near.release())).detach();
      runtime.spawn_on(random.below(workers), burn_for, lifetimes.token(), random_burn(random)).detach();
    }
    runtime.spawn(sleep_over_and_over, lifetimes.token(), borrow(worst_timer_ns)).detach();
    test::burn(std::chrono::nanoseconds(random.below(3'000'000)));
    for (const auto& pair : pairs) test::send_all(pair.far.get(), "x");
    if (random.below(2) == 0) test::burn(std::chrono::nanoseconds(random.below(1'000'000)));
  }
  CHECK(lifetimes.made() == lifetimes.ended());
}

TEST_SUITE_END();

}  // namespace volt
