// SPDX-License-Identifier: MIT

// Tests of a socket whose timer, home or close is on another worker than its task.
#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/per_worker.h"
#include "runtime/runtime.h"
#include "runtime/sched/random.h"
#include "runtime/tcp.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using namespace std::chrono_literals;
using Flag = Borrowed<base::Atomic<bool>>;
using Count = Borrowed<base::Atomic<std::uint64_t>>;

Task<> compute_past_the_deadline(TcpStream stream, Flag timed_out) {
  stream.set_read_deadline_in(5ms);
  test::burn(60ms);  // in this time another worker fires this worker's timers
  const Result<void> ready = co_await stream.readable();
  timed_out.get().store(ready == error(std::errc::timed_out), base::seq_cst);
}

// Sets deadlines that pass about when the wait for them begins, on any worker.
Task<> meet_deadlines(TcpStream stream, Count met, std::uint64_t rounds, std::uint64_t seed) {
  sched::Random random(seed);
  for (std::uint64_t round = 0; round != rounds; ++round) {
    stream.set_read_deadline_in(std::chrono::nanoseconds(random.below(300'000)));
    if (random.below(2) == 0) co_await yield();
    test::burn(std::chrono::nanoseconds(random.below(300'000)));
    Result<void> ready = co_await stream.readable();
    while (ready) ready = co_await stream.readable();  // a stream that moves from a spare worker ends a wait early
    if (ready == error(std::errc::timed_out)) met.get().fetch_add(1, base::seq_cst);
  }
}

Task<> close_by_reset(TcpStream stream) {
  stream.abort_on_close();
  co_return;
}

// Reads a byte, so that the stream has its home on this worker, and has it closed on worker `there`.
Task<> read_and_have_closed(TcpStream stream, std::uint32_t there) {
  std::byte byte{};
  static_cast<void>(co_await stream.read({&byte, 1}));
  spawn_on(there, close_by_reset, std::move(stream)).detach();
}

Task<> echo_here(TcpStream stream, Count runs_elsewhere) {
  const std::uint32_t here = this_worker();
  std::byte byte{};
  for (;;) {
    const Result<std::size_t> count = co_await stream.read({&byte, 1});
    if (this_worker() != here) runs_elsewhere.get().fetch_add(1, base::seq_cst);
    if (!count || *count == 0) co_return;
    static_cast<void>(co_await stream.write_all({&byte, 1}));
  }
}

// Reads a byte, so that the stream has its home on this worker, and has it served on worker 1.
Task<> read_and_pass_on(TcpStream stream, Count runs_elsewhere) {
  std::byte byte{};
  static_cast<void>(co_await stream.read({&byte, 1}));
  spawn_on(1, echo_here, std::move(stream), runs_elsewhere).detach();
}

}  // namespace

TEST_SUITE_BEGIN("runtime/net/foreign_socket");

TEST_CASE("a deadline that passes while its task computes ends the next wait") {
  for (const std::uint32_t workers : {1u, 2u}) {
    CAPTURE(workers);
    Runtime runtime(test_options(workers));
    for (int round = 0; round != 5; ++round) {
      test::Pair pair = test::unix_pair();
      base::Atomic<bool> timed_out{false};
      auto task = runtime.spawn(compute_past_the_deadline, TcpStream(pair.near.release()), Flag(timed_out));
      CHECK(eventually([&] { return task.done(); }, 5s));
      pair.far.close();  // ends the wait if the deadline did not
      CHECK(eventually([&] { return task.done(); }));
      CHECK(timed_out.load(base::seq_cst));
    }
  }
}

TEST_CASE("no deadline is missed, wherever its timer and its task are when it passes") {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    CAPTURE(workers);
    Runtime runtime(test_options(workers));
    constexpr std::uint64_t kStreams = 6;
    const std::uint64_t rounds = test::stress_rounds(500);
    std::vector<test::Pair> pairs;
    std::vector<JoinHandle<void>> tasks;
    base::Atomic<std::uint64_t> met{0};
    for (std::uint64_t i = 0; i != kStreams; ++i) {
      pairs.push_back(i % 2 == 0 ? test::unix_pair() : test::tcp_pair());
      tasks.push_back(
          runtime.spawn(meet_deadlines, TcpStream(pairs.back().near.release()), Count(met), rounds, i + workers));
    }
    for (auto& task : tasks) CHECK(eventually([&] { return task.done(); }));
    CHECK(met.load(base::seq_cst) == kStreams * rounds);
    pairs.clear();  // ends a wait if its deadline did not
    for (auto& task : tasks) CHECK(eventually([&] { return task.done(); }));
  }
}

TEST_CASE("a stream that is to be reset on close is reset, on its home worker or on another") {
  RuntimeOptions options = test_options(2);
  options.enable_stealing = false;
  Runtime runtime(options);
  for (const std::uint32_t closed_on : {0u, 1u}) {
    CAPTURE(closed_on);
    test::Pair pair = test::tcp_pair();
    runtime.spawn_on(0, read_and_have_closed, TcpStream(pair.near.release()), closed_on).detach();
    REQUIRE(test::send_all(pair.far.get(), "x"));
    CHECK(test::receive_some(pair.far.get()) == -ECONNRESET);
  }
}

TEST_CASE("without stealing, a stream's events run its task on the task's own worker") {
  RuntimeOptions options = test_options(2);
  options.enable_stealing = false;
  Runtime runtime(options);
  test::Pair pair = test::tcp_pair();
  base::Atomic<std::uint64_t> runs_elsewhere{0};
  runtime.spawn_on(0, read_and_pass_on, TcpStream(pair.near.release()), Count(runs_elsewhere)).detach();
  REQUIRE(test::send_all(pair.far.get(), "x"));
  for (int i = 0; i != 200; ++i) {
    REQUIRE(test::send_all(pair.far.get(), "x"));
    REQUIRE(test::receive_exactly(pair.far.get(), 1) == "x");
  }
  CHECK(runs_elsewhere.load(base::seq_cst) == 0);
}

TEST_SUITE_END();

}  // namespace volt
