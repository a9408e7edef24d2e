// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "runtime/blocking.h"
#include "runtime/borrowed.h"
#include "runtime/runtime.h"
#include "runtime/sched/random.h"
#include "runtime/tcp.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::stress_rounds;
using test::TimedRounds;

constexpr std::int64_t kLostNs = 20'000'000'000;
// A lost wake-up is never made up for here, because no other thread wakes the worker. A wake-up that takes this long
// was not lost but stalled; a virtual machine may stand still for half a second.
constexpr std::int64_t kStallNs = 5'000'000'000;

// State of one thread that wakes, and waits for the woken task before it wakes again. Written by the woken task.
struct Waker {
  base::Atomic<std::uint64_t> done{0};
  std::int64_t worst_ns = 0;
  std::uint64_t stalls = 0;

  void woken(std::int64_t since_ns) {
    const std::int64_t latency_ns = sched::now_ns() - since_ns;
    worst_ns = std::max(worst_ns, latency_ns);
    if (latency_ns > kStallNs) ++stalls;
    done.fetch_add(1, base::release);
  }

  // Returns false if the wake-up was lost.
  [[nodiscard]] bool wait_until_done(std::uint64_t round) const {
    const std::int64_t end_ns = sched::now_ns() + kLostNs;
    while (done.load(base::acquire) != round) {
      if (sched::now_ns() > end_ns) return false;
      std::this_thread::yield();
    }
    return true;
  }
};
using WakerRef = Borrowed<Waker>;

// Pauses for a random time, from zero to a little more than a worker needs to go to sleep, so that the wake meets each
// step of going to sleep.
void pause(sched::Random& random) {
  const std::uint32_t kind = random.below(16);
  if (kind == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(100)));
  } else if (kind > 4) {
    test::burn(std::chrono::nanoseconds(random.below(kind * 1000)));
  }
}

Task<> report(WakerRef waker, std::int64_t since_ns) {
  waker.get().woken(since_ns);
  co_return;
}

Task<> report_each_byte(WakerRef waker, Borrowed<base::Atomic<std::int64_t>> since, TcpStream stream) {
  for (;;) {
    std::byte byte{};
    const Result<std::size_t> count = co_await stream.read({&byte, 1});
    if (!count || *count == 0) co_return;
    waker.get().woken(since.get().load(base::acquire));
  }
}

struct Figures {
  std::uint64_t wakes = 0;
  std::int64_t worst_ns = 0;
  std::uint64_t stalls = 0;
  std::uint64_t lost = 0;
};

// Runs `threads` threads at once, each up to `rounds` times: wake(waker), then wait for the woken task.
template <class MakeWake>
Figures wake_many(std::uint32_t threads, std::uint64_t rounds, MakeWake&& make_wake) {
  std::vector<Waker> wakers(threads);
  std::vector<std::thread> running;
  base::Atomic<std::uint64_t> wakes{0};
  base::Atomic<std::uint64_t> lost{0};
  for (std::uint32_t i = 0; i != threads; ++i) {
    running.emplace_back([&, i, wake = make_wake(wakers[i])]() mutable {
      sched::Random random(i + 1);
      TimedRounds timed(rounds);
      while (timed.next()) {
        wake();
        if (!wakers[i].wait_until_done(timed.begun())) {
          lost.fetch_add(1, base::relaxed);  // relaxed: a count
          break;
        }
        pause(random);
      }
      wakes.fetch_add(timed.begun(), base::relaxed);  // relaxed: a count
    });
  }
  for (auto& thread : running) thread.join();
  Figures figures{.wakes = wakes.load(base::relaxed), .lost = lost.load(base::relaxed)};  // relaxed: all have joined
  for (const Waker& waker : wakers) {
    figures.worst_ns = std::max(figures.worst_ns, waker.worst_ns);
    figures.stalls += waker.stalls;
  }
  return figures;
}

void check(const Figures& figures, const std::string& what, std::uint32_t workers) {
  MESSAGE(what << ": " << figures.wakes << " wake-ups on " << workers << " workers, the longest took "
               << figures.worst_ns / 1000 << " us");
  CHECK(figures.lost == 0);
  if (!test::kSanitized) CHECK(figures.stalls == 0);
}

}  // namespace

TEST_SUITE_BEGIN("stress/wake_stress");

TEST_CASE("no task spawned by another thread waits for a sleeping worker") {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    for (const std::uint32_t threads : {1u, 3u}) {
      const std::uint64_t rounds = stress_rounds(100'000) / threads;
      Runtime runtime(test_options(workers));
      const Figures figures = wake_many(threads, rounds, [&](Waker& waker) {
        return [&] { runtime.spawn(report, WakerRef(waker), sched::now_ns()).detach(); };
      });
      check(figures, "spawn", workers);
    }
  }
}

TEST_CASE("no task is left in an inbox while its worker sleeps") {
  for (const std::uint32_t workers : {1u, 3u}) {
    const std::uint64_t rounds = stress_rounds(100'000) / 2;
    Runtime runtime(test_options(workers));
    const Figures figures = wake_many(2, rounds, [&](Waker& waker) {
      return [&, turn = 0u]() mutable {
        runtime.spawn_on(turn++ % workers, report, WakerRef(waker), sched::now_ns()).detach();
      };
    });
    check(figures, "spawn_on", workers);
  }
}

TEST_CASE("no readable socket waits for a sleeping worker") {
  for (const std::uint32_t workers : {1u, 3u}) {
    for (const std::uint32_t threads : {1u, 3u}) {
      const std::uint64_t rounds = stress_rounds(100'000) / threads;
      std::vector<test::Pair> pairs;
      std::vector<base::Atomic<std::int64_t>> since(threads);
      for (std::uint32_t i = 0; i != threads; ++i) pairs.push_back(test::unix_pair());
      std::uint32_t next = 0;
      Runtime runtime(test_options(workers));
      const Figures figures = wake_many(threads, rounds, [&](Waker& waker) {
        const std::uint32_t mine = next++;
        runtime.spawn(report_each_byte, WakerRef(waker), borrow(since[mine]), TcpStream(pairs[mine].near.release()))
            .detach();
        return [&, mine] {
          since[mine].store(sched::now_ns(), base::release);
          test::send_all(pairs[mine].far.get(), "x");
        };
      });
      check(figures, "socket", workers);
    }
  }
}

// Regression, found by the explorer (tests/model/bodies/idle_body.h). A worker was searching when two tasks were
// pushed, so the pushers woke no other worker. It parked, saw the tasks at its re-check, took one, and did not notify
// another worker of the second.
TEST_CASE("of two tasks pushed to a searching worker none is left in the queue while other workers sleep") {
  struct Meeting {
    base::Atomic<std::uint32_t> begun{0};
    base::Atomic<std::uint32_t> ended{0};
    base::Atomic<bool> missed{false};
  };
  using MeetingRef = Borrowed<Meeting>;
  const auto meet = [](MeetingRef meeting) -> Task<> {
    meeting.get().begun.fetch_add(1, base::relaxed);
    const std::int64_t end_ns = sched::now_ns() + kLostNs;
    while (meeting.get().begun.load(base::relaxed) != 2) {
      if (sched::now_ns() > end_ns) meeting.get().missed.store(true, base::relaxed);
      if (meeting.get().missed.load(base::relaxed)) break;
      std::this_thread::yield();
    }
    meeting.get().ended.fetch_add(1, base::release);
    co_return;
  };
  Runtime runtime(test_options(2));
  sched::Random random(1);
  TimedRounds rounds(stress_rounds(100'000));
  while (rounds.next()) {
    Meeting meeting;
    runtime.spawn(meet, MeetingRef(meeting)).detach();
    runtime.spawn(meet, MeetingRef(meeting)).detach();
    while (meeting.ended.load(base::acquire) != 2) std::this_thread::yield();
    REQUIRE_FALSE(meeting.missed.load(base::relaxed));
    pause(random);
  }
}

TEST_CASE("no completion of a blocking call is overlooked") {
  const auto call = [](WakerRef waker) -> Task<> {
    auto clock = [] { return sched::now_ns(); };
    const std::int64_t since_ns = co_await blocking(clock);
    waker.get().woken(since_ns);
  };
  const std::uint64_t rounds = stress_rounds(50'000);
  Runtime runtime(test_options(2));
  const Figures figures =
      wake_many(1, rounds, [&](Waker& waker) { return [&] { runtime.spawn(call, WakerRef(waker)).detach(); }; });
  check(figures, "blocking", 2);
}

TEST_SUITE_END();

}  // namespace volt
