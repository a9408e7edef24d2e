// SPDX-License-Identifier: MIT

#include "runtime/broadcast.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/runtime.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;

struct Heard {
  std::uint64_t received = 0;
  std::uint64_t lost = 0;
  bool in_order = true;
};

// Receives values that count from 0: each value must follow the previous one, or the reported gap.
Task<Heard> hear(Subscriber<std::uint64_t> subscriber) {
  Heard heard;
  for (;;) {
    const auto next = co_await subscriber.receive();
    if (!next) co_return heard;
    heard.in_order = heard.in_order && *next->value == heard.received + heard.lost + next->lost;
    heard.lost += next->lost;
    ++heard.received;
  }
}

Task<> hear_one(Subscriber<std::uint64_t> subscriber) { static_cast<void>(co_await subscriber.receive()); }

}  // namespace

TEST_SUITE_BEGIN("runtime/broadcast");

TEST_CASE("each subscriber receives every value that is sent after its subscription") {
  const Broadcaster<std::string> events(4);
  events.send("before");
  auto early = events.subscribe();
  CHECK(!early.try_receive());
  events.send("first");
  auto late = events.subscribe();
  events.send("second");
  const auto first = early.try_receive();
  REQUIRE(first);
  CHECK(*first->value == "first");
  const auto second = early.try_receive();
  const auto also_second = late.try_receive();
  REQUIRE((second && also_second));
  CHECK(*second->value == "second");
  CHECK(second->value == also_second->value);  // shared, not copied
  CHECK((!early.try_receive() && !late.try_receive()));
}

TEST_CASE("a slow subscriber learns how many values it lost, and continues with the oldest one left") {
  struct Case {
    std::string why;
    int sent;
    std::uint64_t lost;
    int first;
  };
  const Case cases[] = {
      {"the subscriber keeps up", 1, 0, 0},
      {"the ring is just full", 4, 0, 0},
      {"one value more than the ring holds", 5, 1, 1},
      {"many values more than the ring holds", 1'000, 996, 996},
  };
  for (const auto& [why, sent, lost, first] : cases) {
    CAPTURE(why);
    const Broadcaster<int> events(4);
    auto subscriber = events.subscribe();
    for (int i = 0; i != sent; ++i) events.send(i);
    for (int i = first; i != sent; ++i) {
      const auto next = subscriber.try_receive();
      REQUIRE(next);
      CHECK(*next->value == i);
      CHECK(next->lost == (i == first ? lost : 0));
    }
    CHECK(!subscriber.try_receive());
  }
}

TEST_CASE("values are destroyed when they are overwritten, and the rest with the last handle") {
  const auto witness = std::make_shared<int>(0);
  {
    auto events = std::make_unique<Broadcaster<std::shared_ptr<int>>>(3);
    for (int i = 0; i != 10; ++i) events->send(witness);
    CHECK(witness.use_count() == 1 + 3);
    auto subscriber = events->subscribe();
    events->send(witness);
    events.reset();
    CHECK(subscriber.try_receive());
    CHECK(!subscriber.try_receive());
  }
  CHECK(witness.use_count() == 1);
}

TEST_CASE("a value, and the end of the broadcast, wake all waiting subscribers") {
  Runtime runtime(test_options());
  std::optional<Broadcaster<std::uint64_t>> events(std::in_place, 16);
  std::vector<JoinHandle<Heard>> tasks;
  for (int i = 0; i != 200; ++i) tasks.push_back(runtime.spawn(hear, events->subscribe()));
  const std::uint64_t count = test::stress_rounds(500);
  for (std::uint64_t i = 0; i != count; ++i) {
    events->send(i);
    if (i % 4 == 0) std::this_thread::sleep_for(50us);
  }
  events.reset();
  for (auto& task : tasks) {
    REQUIRE(eventually([&] { return task.done(); }));
    const Heard heard = task.task().take();
    CHECK(heard.in_order);
    CHECK(heard.received + heard.lost == count);
    CHECK(heard.received >= std::min<std::uint64_t>(count, 16));
  }
}

TEST_CASE("a cancelled receive leaves the queue, and a copy of the broadcaster keeps the broadcast open") {
  Runtime runtime(test_options());
  std::optional<Broadcaster<std::uint64_t>> events(std::in_place, 16);
  const Broadcaster<std::uint64_t> copy = *events;
  auto cancelled = runtime.spawn(hear_one, events->subscribe());
  auto waiting = runtime.spawn(hear_one, events->subscribe());
  std::this_thread::sleep_for(1ms);
  cancelled.cancel();
  CHECK(runtime.block_on(outcome_of<void>, std::move(cancelled)) == Outcome::cancelled);
  events.reset();
  std::this_thread::sleep_for(1ms);
  CHECK(!waiting.done());
  copy.send(1);
  CHECK(runtime.block_on(outcome_of<void>, std::move(waiting)) == Outcome::value);
}

TEST_CASE("receives that are cancelled during a send do not keep others from being woken") {
  Runtime runtime(test_options());
  const Broadcaster<std::uint64_t> events(4);
  for (std::uint64_t round = 0; round != test::stress_rounds(200); ++round) {
    std::vector<JoinHandle<void>> tasks;
    for (int i = 0; i != 80; ++i) tasks.push_back(runtime.spawn(hear_one, events.subscribe()));
    std::thread sending([&] { events.send(round); });
    for (std::size_t i = 0; i < tasks.size(); i += 3) tasks[i].cancel();
    sending.join();
    REQUIRE(eventually([&] {
      events.send(round);
      for (const auto& task : tasks) {
        if (!task.done()) return false;
      }
      return true;
    }));
  }
}

TEST_SUITE_END();

}  // namespace volt
