// SPDX-License-Identifier: MIT

#include "runtime/watch.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/task.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/sanitizers.h"

namespace volt {
namespace {

using test::ManualClockRuntime;

// Returns the values that the receiver saw, until the end.
Task<std::vector<int>> follow(WatchReceiver<int> receiver) {
  std::vector<int> seen;
  while (co_await receiver.changed()) seen.push_back(*receiver.borrow());
  co_return seen;
}

Task<bool> changed_once(WatchReceiver<int> receiver) { co_return co_await receiver.changed(); }

}  // namespace

TEST_SUITE_BEGIN("runtime/watch");

TEST_CASE("borrow() returns the latest value, and try_changed() reports a change once") {
  auto [sender, receiver] = watch<std::string>("one");
  CHECK(*receiver.borrow() == "one");
  CHECK(!receiver.try_changed());
  const auto one = receiver.borrow();
  sender.send("two");
  sender.send("three");
  CHECK(receiver.try_changed());
  CHECK(!receiver.try_changed());
  CHECK(*receiver.borrow() == "three");
  CHECK(*one == "one");  // a borrowed value stays alive
  auto late = sender.subscribe();
  CHECK(!late.try_changed());
  CHECK(*sender.borrow() == "three");
}

TEST_CASE("a receiver waits for each change, and for the end") {
  ManualClockRuntime bench;
  auto ends = watch(0);
  std::optional<WatchSender<int>> sender(std::move(ends.first));
  auto following = bench.runtime.spawn(follow, ends.second);
  for (int i = 1; i != 4; ++i) {
    bench.settle();
    sender->send(i);
  }
  bench.settle();
  CHECK(!following.done());
  CHECK(!ends.second.closed());
  sender->send(4);
  sender.reset();  // destroyed at once: the last value is still seen
  CHECK(bench.result_of(std::move(following)) == std::vector{1, 2, 3, 4});
  CHECK(ends.second.closed());
}

TEST_CASE("a watch stays open while one sender is left") {
  ManualClockRuntime bench;
  auto ends = watch(0);
  std::optional<WatchSender<int>> other(ends.first);
  auto waiting = bench.runtime.spawn(changed_once, ends.second);
  bench.settle();
  other.reset();
  bench.settle();
  CHECK(!waiting.done());
  ends.first.send(1);
  CHECK(bench.result_of(std::move(waiting)));
}

TEST_CASE("a cancelled wait has not marked a value as seen") {
  ManualClockRuntime bench;
  auto ends = watch(0);
  auto receiver = std::make_shared<WatchReceiver<int>>(ends.second);
  auto wait = [](std::shared_ptr<WatchReceiver<int>> shared) -> Task<bool> { co_return co_await shared->changed(); };
  auto waiting = bench.runtime.spawn(wait, receiver);
  bench.settle();
  waiting.cancel();
  bench.settle();
  CHECK(waiting.done());
  ends.first.send(1);
  CHECK(receiver->try_changed());
}

TEST_CASE("every receiver sees values in order, and the last one") {
  Runtime runtime(test_options());
  const int last = static_cast<int>(test::stress_rounds(5'000));
  auto ends = watch(0);
  std::vector<JoinHandle<std::vector<int>>> followers;
  for (int i = 0; i != 4; ++i) followers.push_back(runtime.spawn(follow, ends.second));
  {
    const WatchSender<int> sender = std::move(ends.first);
    for (int i = 1; i <= last; ++i) sender.send(i);
  }
  for (auto& follower : followers) {
    REQUIRE(test::eventually([&] { return follower.done(); }));
    const std::vector<int> seen = follower.task().take();
    CHECK(std::ranges::is_sorted(seen));
    REQUIRE(!seen.empty());
    CHECK(seen.back() == last);
  }
}

TEST_SUITE_END();

}  // namespace volt
