// SPDX-License-Identifier: MIT

#include "runtime/oneshot.h"

#include <doctest/doctest.h>

#include <memory>
#include <thread>
#include <vector>

#include "runtime/select.h"
#include "runtime/time.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/sanitizers.h"

namespace volt {
namespace {

using test::ManualClockRuntime;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;
using Value = std::unique_ptr<int>;

Task<int> receive(OneshotReceiver<Value> receiver) {
  std::optional<Value> value = co_await receiver.receive();
  co_return value ? **value : -1;
}

Task<int> receive_number(OneshotReceiver<int> receiver) {
  const std::optional<int> value = co_await receiver.receive();
  co_return value.value_or(-1);
}

// Receives a value: waits for at most `patience` in a select(), and then without a limit.
Task<int> receive_or_tire(OneshotReceiver<int> receiver, std::chrono::nanoseconds patience) {
  auto receiving = receiver.receive();
  auto tiring = sleep_for(patience);
  auto chosen = co_await select(receiving, tiring);
  if (chosen.index() == 0) co_return std::get<0>(chosen).value_or(-1);
  const std::optional<int> late = co_await receiver.receive();
  co_return late.value_or(-1);
}

}  // namespace

TEST_SUITE_BEGIN("runtime/oneshot");

TEST_CASE("a value arrives, whether it is sent before or after the receiver waits") {
  ManualClockRuntime bench;
  for (const bool before : {true, false}) {
    CAPTURE(before);
    auto [sender, receiver] = oneshot<Value>();
    CHECK(!receiver.try_receive());
    if (before) CHECK(std::move(sender).send(std::make_unique<int>(7)));
    auto receiving = bench.runtime.spawn(receive, std::move(receiver));
    bench.settle();
    CHECK(receiving.done() == before);
    if (!before) CHECK(std::move(sender).send(std::make_unique<int>(7)));
    CHECK(bench.result_of(std::move(receiving)) == 7);
  }
}

TEST_CASE("try_receive() returns the value once") {
  auto [sender, receiver] = oneshot<int>();
  CHECK(std::move(sender).send(7));
  CHECK(receiver.try_receive() == 7);
  CHECK(!receiver.try_receive());
}

TEST_CASE("each end detects that the other end is destroyed") {
  ManualClockRuntime bench;
  SUBCASE("the sender is destroyed before and after the receiver waits") {
    auto ends = oneshot<Value>();
    {
      const auto gone = std::move(ends.first);
    }
    CHECK(bench.result_of(bench.runtime.spawn(receive, std::move(ends.second))) == -1);
    auto others = oneshot<Value>();
    auto receiving = bench.runtime.spawn(receive, std::move(others.second));
    bench.settle();
    CHECK(!receiving.done());
    {
      const auto gone = std::move(others.first);
    }
    CHECK(bench.result_of(std::move(receiving)) == -1);
  }
  SUBCASE("the receiver is destroyed") {
    auto ends = oneshot<Value>();
    CHECK(!ends.first.closed());
    {
      const auto gone = std::move(ends.second);
    }
    CHECK(ends.first.closed());
    CHECK(!std::move(ends.first).send(std::make_unique<int>(7)));
  }
}

TEST_CASE("a cancelled receive takes nothing, even if the value has arrived") {
  ManualClockRuntime bench;
  auto ends = oneshot<int>();
  auto receiver = std::make_shared<OneshotReceiver<int>>(std::move(ends.second));
  auto receive_shared = [](std::shared_ptr<OneshotReceiver<int>> shared) -> Task<int> {
    const std::optional<int> value = co_await shared->receive();
    co_return value.value_or(-1);
  };
  SUBCASE("while it waits") {
    auto receiving = bench.runtime.spawn(receive_shared, receiver);
    bench.settle();
    receiving.cancel();
    bench.settle();
    CHECK(receiving.done());
    CHECK(std::move(ends.first).send(7));
  }
  SUBCASE("after it was woken") {
    auto body = [&]() -> Task<> {
      auto receiving = spawn(receive_shared, receiver);
      co_await yield();
      CHECK(std::move(ends.first).send(7));
      receiving.cancel();
      const Outcome outcome = co_await outcome_of(std::move(receiving));
      CHECK(outcome == Outcome::cancelled);
    };
    bench.runtime.block_on(body);
  }
  CHECK(receiver->try_receive() == 7);
}

TEST_CASE("a send may race with the receiver, the end of either side and the end of a select on any thread") {
  Runtime runtime(test_options());
  const std::uint64_t rounds = test::stress_rounds(3'000);
  for (std::uint64_t round = 0; round != rounds; ++round) {
    auto [sender, receiver] = oneshot<int>();
    std::optional<JoinHandle<int>> receiving;
    switch (round % 3) {
      case 0:
        receiving = runtime.spawn(receive_number, std::move(receiver));
        break;
      case 1:
        receiving = runtime.spawn(receive_or_tire, std::move(receiver), std::chrono::nanoseconds(round % 200'000));
        break;
      default:
        receiving = runtime.spawn(receive_number, std::move(receiver));
        receiving->cancel();
    }
    for (std::uint64_t i = 0; i != round % 64; ++i) base::spin_pause();
    const bool sent = std::move(sender).send(static_cast<int>(round));
    REQUIRE(test::eventually([&] { return receiving->done(); }));
    if (round % 3 == 2) continue;
    REQUIRE(sent);
    REQUIRE(receiving->task().take() == static_cast<int>(round));
  }
}

TEST_SUITE_END();

}  // namespace volt
