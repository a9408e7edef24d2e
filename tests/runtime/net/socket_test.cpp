// SPDX-License-Identifier: MIT

#include "runtime/net/socket.h"

#include <doctest/doctest.h>

#include <vector>

#include "runtime/runtime.h"
#include "runtime/tcp.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::Descriptor;
using test::Pair;
using namespace std::chrono_literals;

TcpStream stream_of(Descriptor&& fd) { return TcpStream(fd.release()); }

Task<> echo(TcpStream stream) {
  std::vector<std::byte> buffer(256);
  for (;;) {
    const Result<std::size_t> count = co_await stream.read(buffer);
    if (!count || *count == 0) co_return;
    const Result<void> written = co_await stream.write_all(std::span(buffer).first(*count));
    if (!written) co_return;
  }
}

Task<> hand_over(TcpStream stream, std::uint32_t to) {
  std::byte byte;
  const Result<std::size_t> count = co_await stream.read({&byte, 1});
  if (!count || *count != 1) co_return;
  stream.set_read_deadline_in(20s);  // arms a timer in the wheel of the worker that the stream leaves
  const Result<void> written = co_await stream.write_all({&byte, 1});
  if (written) spawn_on(to, echo, std::move(stream)).detach();
}

Task<> keep_busy(std::chrono::nanoseconds duration) {
  test::burn(duration);
  co_return;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/net/socket");

TEST_CASE("a stream passed to another task is usable in that task") {
  Runtime runtime(test_options());
  for (std::uint64_t round = 0; round != test::stress_rounds(400); ++round) {
    Pair pair = test::tcp_pair();
    const auto from = static_cast<std::uint32_t>(round % 2);
    runtime.spawn_on(from, hand_over, stream_of(std::move(pair.near)), 1 - from).detach();
    for (int i = 0; i != 10; ++i) {
      REQUIRE(test::send_all(pair.far.get(), "x"));
      REQUIRE(test::receive_exactly(pair.far.get(), 1) == "x");
    }
  }
  CHECK(test::eventually([&] { return runtime.metrics().total().descriptors == 0; }));
}

TEST_CASE("a socket whose home is stuck in a long task moves, and works before, during and after the move") {
  Runtime runtime(test_options());
  Pair pair = test::tcp_pair();
  runtime.spawn(echo, stream_of(std::move(pair.near))).detach();
  const auto round_trip = [&] {
    REQUIRE(test::send_all(pair.far.get(), "x"));
    REQUIRE(test::receive_exactly(pair.far.get(), 1) == "x");
  };
  int moves = 0;
  for (int attempt = 0; attempt != 20 && moves < 3; ++attempt) {
    round_trip();
    const std::vector<WorkerMetrics> workers = runtime.metrics().workers;
    const std::uint64_t migrated = runtime.metrics().total().migrated;
    const std::uint32_t home = workers[0].descriptors != 0 ? 0 : 1;
    const JoinHandle<void> stuck = runtime.spawn_on(home, keep_busy, 150ms);
    while (!stuck.done()) round_trip();
    moves += runtime.metrics().total().migrated > migrated ? 1 : 0;
    CHECK(test::eventually([&] { return runtime.metrics().total().descriptors == 1; }));  // it has one home again
    for (int i = 0; i != 10; ++i) round_trip();
  }
  CHECK(moves == 3);
}

TEST_SUITE_END();

}  // namespace volt
