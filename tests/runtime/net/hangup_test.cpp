// SPDX-License-Identifier: MIT

// Tests of tasks that wait for other events while their peer hangs up.
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <thread>
#include <vector>

#include "runtime/blocking.h"
#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/runtime.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/lifetimes.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using net::Hangup;
using test::eventually;
using test::Lifetimes;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;
using Flag = Borrowed<base::Atomic<bool>>;

// A handler that has read its request and works on the response.
Task<> work_for(TcpStream stream, Hangup when, Flag working) {
  std::byte byte{};
  const Result<std::size_t> request = co_await stream.read({&byte, 1});
  if (!request) co_return;
  const net::HangupWatch watch = stream.cancel_on_hangup(when);
  working.get().store(true, base::release);
  co_await sleep_for(1h);
}

// A handler whose work is done before the peer hangs up, and which then reads on.
Task<std::size_t> work_and_read_on(TcpStream stream, Flag worked) {
  for (int i = 0; i != 100; ++i) {
    const net::HangupWatch watch = stream.cancel_on_hangup(Hangup::half);
    co_await yield();
  }
  worked.get().store(true, base::release);
  std::byte byte{};
  const Result<std::size_t> count = co_await stream.read({&byte, 1});
  co_return count.value_or(99);
}

Task<> never_asked(TcpStream stream) {
  const net::HangupWatch watch = stream.cancel_on_hangup(Hangup::full);
  co_await sleep_for(1h);
}

Task<bool> commits(TcpStream stream, Flag working) {
  const net::HangupWatch watch = stream.cancel_on_hangup(Hangup::full);
  auto commit = [&]() -> Task<> {
    working.get().store(true, base::release);
    co_await sleep_for(20ms);
  };
  co_await shield(commit);
  working.get().store(false, base::release);
  co_await sleep_for(1min);  // the peer may hang up late
  co_return true;
}

Task<> race_with(TcpStream stream, Lifetimes::Token, std::uint64_t turns) {
  std::byte byte{};
  for (std::uint64_t i = 0; i != turns; ++i) {
    const net::HangupWatch watch = stream.cancel_on_hangup(i % 2 == 0 ? Hangup::full : Hangup::half);
    co_await yield();
  }
  static_cast<void>(co_await stream.read({&byte, 1}));
}

void half_close(const test::Descriptor& fd) { ::shutdown(fd.get(), SHUT_WR); }

}  // namespace

TEST_SUITE_BEGIN("runtime/net/hangup");

TEST_CASE("a hangup of the peer cancels the work for it; Hangup selects which events count") {
  struct Case {
    std::string why;
    test::Pair (*connect)();
    void (*go)(test::Descriptor& peer);
    Hangup when;
    bool cancels;
  };
  const auto reset = [](test::Descriptor& peer) {
    test::reset_on_close(peer.get());
    peer.close();
  };
  const auto half = [](test::Descriptor& peer) { half_close(peer); };
  const auto close = [](test::Descriptor& peer) { peer.close(); };
  const auto send = [](test::Descriptor& peer) { CHECK(test::send_all(peer.get(), "more")); };
  const Case cases[] = {
      {"a reset", test::tcp_pair, reset, Hangup::full, true},
      {"a reset, with Hangup::half", test::tcp_pair, reset, Hangup::half, true},
      {"a half-close may come from a client that waits for its response", test::tcp_pair, half, Hangup::full, false},
      {"a half-close, with Hangup::half", test::tcp_pair, half, Hangup::half, true},
      {"a close looks like a half-close", test::tcp_pair, close, Hangup::full, false},
      {"a close, with Hangup::half", test::tcp_pair, close, Hangup::half, true},
      {"the close of a unix socket", test::unix_pair, close, Hangup::full, true},
      {"the half-close of a unix socket", test::unix_pair, half, Hangup::full, false},
      {"more data is not a hangup", test::tcp_pair, send, Hangup::half, false},
  };
  for (const auto& [why, connect, go, when, cancels] : cases) {
    CAPTURE(why);
    Runtime runtime(test_options(1));
    base::Atomic<bool> working{false};
    test::Pair pair = connect();
    REQUIRE(test::send_all(pair.far.get(), "x"));
    auto task = runtime.spawn(work_for, TcpStream(pair.near.release()), Hangup{when}, borrow(working));
    REQUIRE(eventually([&] { return working.load(base::acquire); }));
    go(pair.far);
    if (cancels) {
      CHECK(runtime.block_on(outcome_of<void>, std::move(task)) == Outcome::cancelled);
      continue;
    }
    std::this_thread::sleep_for(10ms);
    CHECK(!task.done());
    task.cancel();
    CHECK(runtime.block_on(outcome_of<void>, std::move(task)) == Outcome::cancelled);
  }
}

TEST_CASE("a peer that hung up before the watch began cancels the task at its next await") {
  Runtime runtime(test_options());
  for (int round = 0; round != 20; ++round) {
    test::Pair pair = test::tcp_pair();
    test::reset_on_close(pair.far.get());
    pair.far.close();
    auto task = runtime.spawn(never_asked, TcpStream(pair.near.release()));
    CHECK(runtime.block_on(outcome_of<void>, std::move(task)) == Outcome::cancelled);
  }
}

TEST_CASE("a watch that has ended does nothing") {
  Runtime runtime(test_options());
  base::Atomic<bool> worked{false};
  test::Pair pair = test::tcp_pair();
  auto task = runtime.spawn(work_and_read_on, TcpStream(pair.near.release()), borrow(worked));
  REQUIRE(eventually([&] { return worked.load(base::acquire); }));
  pair.far.close();
  REQUIRE(eventually([&] { return task.done(); }));
  CHECK(task.task().take() == 0);  // the end of the peer's data, as without a watch
}

TEST_CASE("a shielded part is finished before the task is cancelled") {
  Runtime runtime(test_options());
  base::Atomic<bool> working{false};
  test::Pair pair = test::unix_pair();
  auto task = runtime.spawn(commits, TcpStream(pair.near.release()), borrow(working));
  REQUIRE(eventually([&] { return working.load(base::acquire); }));
  pair.far.close();
  CHECK(runtime.block_on(outcome_of<bool>, std::move(task)) == Outcome::cancelled);
  CHECK(!working.load(base::acquire));
}

TEST_CASE("hangups that race with the end of watches and of tasks leak neither task nor descriptor") {
  Runtime runtime(test_options());
  Lifetimes lifetimes;
  const std::size_t descriptors = test::open_descriptors();
  for (std::uint64_t round = 0; round != test::stress_rounds(2'000); ++round) {
    test::Pair pair = round % 3 == 0 ? test::tcp_pair() : test::unix_pair();
    auto task = runtime.spawn(race_with, TcpStream(pair.near.release()), lifetimes.token(), round % 16);
    if (round % 2 == 0) test::burn(std::chrono::microseconds(round % 20));
    if (round % 5 == 0) test::reset_on_close(pair.far.get());
    pair.far.close();
    if (round % 7 == 0) task.cancel();
  }
  CHECK(eventually([&] { return runtime.metrics().live_tasks == 0; }));
  CHECK(eventually([&] { return test::open_descriptors() <= descriptors; }));
  CHECK(lifetimes.ended() == lifetimes.made());
}

TEST_SUITE_END();

}  // namespace volt
