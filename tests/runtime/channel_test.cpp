// SPDX-License-Identifier: MIT

#include "runtime/channel.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/scope.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/sanitizers.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::ManualClockRuntime;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;
using Numbers = std::vector<int>;
using NumbersRef = Borrowed<Numbers>;

Task<bool> send_one(Sender<int> sender, int value) { co_return co_await sender.send(value); }

Task<std::optional<int>> receive_one(Receiver<int> receiver) { co_return co_await receiver.receive(); }

Task<> receive_all(Receiver<int> receiver, NumbersRef into) {
  for (;;) {
    const std::optional<int> value = co_await receiver.receive();
    if (!value) co_return;
    into.get().push_back(*value);
  }
}

// Sends and receives values in one turn: the operations must not have to wait.
Task<> hog(Sender<int> sender, Receiver<int> receiver, Borrowed<bool> stop) {
  while (!stop.get()) {
    static_cast<void>(co_await sender.send(1));
    static_cast<void>(co_await receiver.receive());
  }
}
Task<> stop_it(Borrowed<bool> stop) {
  stop.get() = true;
  co_return;
}

Task<> produce(Sender<std::uint64_t> sender, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = 0; i != count; ++i) {
    if (i % 7 == 0) co_await yield();
    REQUIRE(co_await sender.send(first + i));
  }
}

struct Sum {
  base::Atomic<std::uint64_t> values{0};
  base::Atomic<std::uint64_t> count{0};
};

Task<> consume(Receiver<std::uint64_t> receiver, Borrowed<Sum> sum) {
  for (;;) {
    const std::optional<std::uint64_t> value = co_await receiver.receive();
    if (!value) co_return;
    sum.get().values.fetch_add(*value, base::relaxed);  // relaxed: read when all tasks are done
    sum.get().count.fetch_add(1, base::relaxed);        // relaxed: as above
  }
}

}  // namespace

TEST_SUITE_BEGIN("runtime/channel");

TEST_CASE("try_send() and try_receive() make a channel a bounded queue on any thread") {
  auto [sender, receiver] = channel<std::unique_ptr<int>>(2);
  CHECK(!receiver.try_receive());
  CHECK(sender.try_send(std::make_unique<int>(1)) == Sent::sent);
  CHECK(sender.try_send(std::make_unique<int>(2)) == Sent::sent);
  auto third = std::make_unique<int>(3);
  CHECK(sender.try_send(std::move(third)) == Sent::full);
  REQUIRE(third);  // the value was not moved
  CHECK(sender.size() == 2);
  CHECK(**receiver.try_receive() == 1);
  CHECK(sender.try_send(std::move(third)) == Sent::sent);
  sender.close();
  CHECK(sender.try_send(std::make_unique<int>(4)) == Sent::closed);
  CHECK(**receiver.try_receive() == 2);
  CHECK(**receiver.try_receive() == 3);
  CHECK(!receiver.try_receive());
  CHECK(receiver.closed());
}

TEST_CASE("senders wait while the channel is full, receivers while it is empty, each in order of arrival") {
  ManualClockRuntime bench;
  auto [sender, receiver] = channel<int>(2);
  std::vector<JoinHandle<bool>> sends;
  for (int i = 0; i != 5; ++i) sends.push_back(bench.runtime.spawn(send_one, sender, i));
  bench.settle();
  CHECK((sends[1].done() && !sends[2].done()));
  CHECK(sender.try_send(9) == Sent::full);
  for (int i = 0; i != 5; ++i) CHECK(receiver.try_receive() == i);
  for (auto& send : sends) CHECK(bench.result_of(std::move(send)));

  std::vector<JoinHandle<std::optional<int>>> receives;
  for (int i = 0; i != 3; ++i) receives.push_back(bench.runtime.spawn(receive_one, receiver));
  bench.settle();
  for (int i = 0; i != 3; ++i) {
    CHECK(!receives[static_cast<std::size_t>(i)].done());
    CHECK(sender.try_send(std::move(i)) == Sent::sent);
    CHECK(!receiver.try_receive());  // the value is reserved for the waiting receiver
    CHECK(bench.result_of(std::move(receives[static_cast<std::size_t>(i)])) == i);
  }
}

TEST_CASE("a closed channel delivers the values sent before, then none, and rejects sends") {
  struct Case {
    std::string why;
    void (*close)(std::optional<Sender<int>>& sender, std::optional<Receiver<int>>& receiver);
  };
  const Case cases[] = {
      {"by a sender", [](auto& sender, auto&) { sender->close(); }},
      {"by a receiver", [](auto&, auto& receiver) { receiver->close(); }},
      {"the last sender is destroyed", [](auto& sender, auto&) { sender.reset(); }},
  };
  for (const auto& [why, close] : cases) {
    CAPTURE(why);
    ManualClockRuntime bench;
    auto ends = channel<int>(1);
    std::optional<Sender<int>> sender(std::move(ends.first));
    std::optional<Receiver<int>> receiver(std::move(ends.second));
    CHECK(sender->try_send(1) == Sent::sent);
    const bool by_going = why == "the last sender is destroyed";
    std::optional<JoinHandle<bool>> waiting;
    if (!by_going) waiting = bench.runtime.spawn(send_one, *sender, 2);
    bench.settle();
    close(sender, receiver);
    if (waiting) CHECK(!bench.result_of(std::move(*waiting)));
    if (sender) CHECK(!bench.result_of(bench.runtime.spawn(send_one, *sender, 3)));
    CHECK(bench.result_of(bench.runtime.spawn(receive_one, *receiver)) == 1);
    CHECK(!bench.result_of(bench.runtime.spawn(receive_one, *receiver)));
  }
}

TEST_CASE("close() ends the wait of every receiver, and destroying the last receiver that of every sender") {
  ManualClockRuntime bench;
  {
    auto [sender, receiver] = channel<int>(1);
    std::vector<JoinHandle<std::optional<int>>> receives;
    for (int i = 0; i != 3; ++i) receives.push_back(bench.runtime.spawn(receive_one, receiver));
    bench.settle();
    sender.close();
    for (auto& receive : receives) CHECK(!bench.result_of(std::move(receive)));
  }
  const auto witness = std::make_shared<int>(0);
  auto ends = channel<std::shared_ptr<int>>(1);
  std::optional<Receiver<std::shared_ptr<int>>> receiver(std::move(ends.second));
  CHECK(ends.first.try_send(std::shared_ptr<int>(witness)) == Sent::sent);
  auto send = [](Sender<std::shared_ptr<int>> sender, std::shared_ptr<int> value) -> Task<bool> {
    co_return co_await sender.send(std::move(value));
  };
  auto sending = bench.runtime.spawn(send, ends.first, witness);
  bench.settle();
  receiver.reset();
  CHECK(!bench.result_of(std::move(sending)));
  CHECK(witness.use_count() == 1);  // no value stays in a channel without a receiver
}

TEST_CASE("a cancelled send sends nothing, at any position of the queue") {
  for (int cancelled = 0; cancelled != 3; ++cancelled) {
    CAPTURE(cancelled);
    ManualClockRuntime bench;
    auto [sender, receiver] = channel<int>(1);
    CHECK(sender.try_send(-1) == Sent::sent);
    std::vector<JoinHandle<bool>> sends;
    for (int i = 0; i != 3; ++i) sends.push_back(bench.runtime.spawn(send_one, sender, i));
    bench.settle();
    sends[static_cast<std::size_t>(cancelled)].cancel();
    bench.settle();
    Numbers got;
    while (const auto value = receiver.try_receive()) got.push_back(*value);
    Numbers want{-1, 0, 1, 2};
    std::erase(want, cancelled);
    CHECK(got == want);
  }
}

TEST_CASE("a cancelled receive takes nothing, whether it waits or was just notified of a value") {
  ManualClockRuntime bench;
  auto [sender, receiver] = channel<int>(4);
  SUBCASE("while it waits") {
    auto receiving = bench.runtime.spawn(receive_one, receiver);
    bench.settle();
    receiving.cancel();
    bench.settle();
    CHECK(sender.try_send(1) == Sent::sent);
    CHECK(receiver.try_receive() == 1);
  }
  SUBCASE("after it was notified of a value, which stays in the channel") {
    // One task wakes and cancels the receiver before the receiver runs.
    auto race = [](Sender<int> sends, Receiver<int> receives) -> Task<Outcome> {
      auto receiving = spawn(receive_one, receives);
      co_await yield();
      CHECK(sends.try_send(1) == Sent::sent);
      CHECK(sends.try_send(2) == Sent::sent);
      receiving.cancel();
      co_return co_await outcome_of(std::move(receiving));
    };
    CHECK(bench.runtime.block_on(race, sender, receiver) == Outcome::cancelled);
    CHECK(receiver.try_receive() == 1);
    CHECK(receiver.try_receive() == 2);
  }
  SUBCASE("after it was notified of a value, which the next receiver gets") {
    auto race = [](Sender<int> sends, Receiver<int> receives) -> Task<> {
      auto first = spawn(receive_one, receives);
      co_await yield();
      auto second = spawn(receive_one, receives);
      co_await yield();
      CHECK(sends.try_send(1) == Sent::sent);
      sends.close();
      first.cancel();
      const Outcome outcome = co_await outcome_of(std::move(first));
      CHECK(outcome == Outcome::cancelled);
      const std::optional<int> value = co_await std::move(second);
      CHECK(value == 1);  // the result is the value, not the end of the channel
    };
    bench.runtime.block_on(race, sender, receiver);
  }
  SUBCASE("before it starts") {
    auto receiving = bench.runtime.spawn(receive_one, receiver);
    receiving.cancel();
    CHECK(sender.try_send(1) == Sent::sent);
    bench.settle();
    CHECK(receiving.done());
    CHECK((receiver.try_receive() == 1 || receiving.task().take() == 1));
  }
}

TEST_CASE("a task whose channel is always ready lets other tasks run") {
  ManualClockRuntime bench;
  auto [sender, receiver] = channel<int>(1);
  bool stop = false;
  auto hogging = bench.runtime.spawn(hog, sender, receiver, borrow(stop));
  bench.runtime.block_on(stop_it, borrow(stop));
  bench.settle();
  CHECK(hogging.done());
}

TEST_CASE("a thread that is not a worker sends values to a task") {
  Runtime runtime(test_options());
  Numbers got;
  auto ends = channel<int>(4);
  auto receiving = runtime.spawn(receive_all, std::move(ends.second), borrow(got));
  const int count = static_cast<int>(test::stress_rounds(20'000));
  for (int i = 0; i != count;) {
    if (ends.first.try_send(std::move(i)) == Sent::sent) {
      ++i;
    } else {
      std::this_thread::yield();
    }
  }
  ends.first.close();
  CHECK(test::eventually([&] { return receiving.done(); }));
  Numbers want;
  for (int i = 0; i != count; ++i) want.push_back(i);
  CHECK(got == want);
}

TEST_CASE("many senders and receivers lose and duplicate no value") {
  Runtime runtime(test_options());
  for (const std::size_t capacity : {1U, 3U, 64U}) {
    CAPTURE(capacity);
    constexpr std::uint64_t kSenders = 8;
    const std::uint64_t each = test::stress_rounds(3'000);
    Sum sum;
    auto body = [&]() -> Task<> {
      auto ends = channel<std::uint64_t>(capacity);
      auto children = [&](Scope& scope) -> Task<> {
        for (std::uint64_t i = 0; i != kSenders; ++i) {
          scope.spawn(produce, ends.first, i * each, std::uint64_t{each});
          scope.spawn(consume, ends.second, borrow(sum));
        }
        const Sender<std::uint64_t> last = std::move(ends.first);
        co_return;
      };
      co_await with_scope(children);
    };
    runtime.block_on(body);
    const std::uint64_t count = kSenders * each;
    CHECK(sum.count.load(base::relaxed) == count);
    CHECK(sum.values.load(base::relaxed) == count * (count - 1) / 2);
  }
}

TEST_CASE("receivers that are cancelled at arbitrary moments lose no value") {
  Runtime runtime(test_options());
  for (std::uint64_t round = 0; round != test::stress_rounds(200); ++round) {
    auto ends = channel<std::uint64_t>(2);
    Sum sum;
    const std::uint64_t count = 200;
    auto producing = runtime.spawn(produce, std::move(ends.first), std::uint64_t{0}, std::uint64_t{count});
    std::vector<JoinHandle<void>> consumers;
    for (int i = 0; i != 4; ++i) consumers.push_back(runtime.spawn(consume, ends.second, borrow(sum)));
    for (int i = 0; i != 3; ++i) {
      test::burn(std::chrono::microseconds(round % 50));
      consumers[static_cast<std::size_t>(i)].cancel();
    }
    REQUIRE(test::eventually([&] { return consumers[3].done(); }));
    for (auto& consumer : consumers) REQUIRE(test::eventually([&] { return consumer.done(); }));
    CHECK(sum.count.load(base::relaxed) == count);
    CHECK(sum.values.load(base::relaxed) == count * (count - 1) / 2);
  }
}

TEST_SUITE_END();

}  // namespace volt
