// SPDX-License-Identifier: MIT

#include "runtime/sched/global_queue.h"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/sanitizers.h"

namespace volt::sched {
namespace {

struct Item {
  Item* queue_next = nullptr;
  int seen = 0;  // not atomic, so that the thread sanitizer detects whether the queue orders its users
};

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/global_queue");

TEST_CASE("items leave in the order in which they were pushed, singly or in chains") {
  std::array<Item, 6> items;
  GlobalQueue<Item> queue;
  CHECK(queue.empty());
  CHECK(queue.pop() == nullptr);

  queue.push(&items[0]);
  base::Chain<Item> chain;
  for (int i = 1; i != 5; ++i) chain.push_back(&items[i]);
  queue.push(std::move(chain));
  queue.push(base::Chain<Item>{});
  queue.push(&items[5]);
  CHECK(queue.size() == 6);

  CHECK(queue.pop() == &items[0]);
  std::array<Item*, 8> batch{};
  REQUIRE(queue.pop_batch(batch.data(), 3) == 3);
  for (int i = 0; i != 3; ++i) CHECK(batch[i] == &items[i + 1]);
  CHECK(queue.size() == 2);
  REQUIRE(queue.pop_batch(batch.data(), 8) == 2);
  CHECK(batch[0] == &items[4]);
  CHECK(batch[1] == &items[5]);
  CHECK(queue.empty());
  CHECK(queue.pop_batch(batch.data(), 8) == 0);
}

TEST_CASE("items keep their order across segments, which are used again") {
  constexpr std::size_t kItems = 100;
  std::vector<Item> items(kItems);
  GlobalQueue<Item, 4> queue;
  std::size_t pushed = 0;
  std::size_t popped = 0;
  const auto push = [&](std::size_t count) {
    base::Chain<Item> chain;
    for (; count != 0 && pushed != kItems; --count) chain.push_back(&items[pushed++]);
    queue.push(std::move(chain));
  };
  for (std::size_t step = 1; popped != kItems; ++step) {
    push(step % 11);
    std::array<Item*, 7> batch{};
    const std::uint32_t count = queue.pop_batch(batch.data(), step % 8);
    for (std::uint32_t i = 0; i != count; ++i) CHECK(batch[i] == &items[popped++]);
    CHECK(queue.size() == pushed - popped);
    std::size_t visited = popped;
    queue.visit_while([&](const Item& item) {
      CHECK(&item == &items[visited++]);
      return true;
    });
    CHECK(visited == pushed);
  }
  CHECK(queue.empty());
}

TEST_CASE("without memory for segments, items are linked to each other" * doctest::skip(test::kSanitized)) {
  constexpr std::size_t kTooMany = std::size_t{1} << 44;  // no machine has memory for a segment of so many items
  std::array<Item, 5> items;
  GlobalQueue<Item, kTooMany> queue;
  queue.push(&items[0]);
  base::Chain<Item> chain;
  for (int i = 1; i != 4; ++i) chain.push_back(&items[i]);
  queue.push(std::move(chain));
  queue.push(&items[4]);
  CHECK(queue.size() == 5);
  int visited = 0;
  queue.visit_while([&](const Item& item) {
    CHECK(&item == &items[visited++]);
    return visited != 3;
  });
  CHECK(visited == 3);
  for (Item& item : items) CHECK(queue.pop() == &item);
  CHECK(queue.empty());
}

TEST_CASE("each item pushed by any thread is popped by exactly one") {
  constexpr std::size_t kPushers = 2;
  constexpr std::size_t kPoppers = 2;
  constexpr std::size_t kEach = 20'000;
  std::vector<Item> items(kPushers * kEach);
  GlobalQueue<Item> queue;
  base::Atomic<std::size_t> popped{0};

  std::vector<std::thread> threads;
  for (std::size_t pusher = 0; pusher != kPushers; ++pusher) {
    threads.emplace_back([&, pusher] {
      Item* mine = &items[pusher * kEach];
      for (std::size_t i = 0; i != kEach;) {
        if (i % 3 == 0 || i + 5 > kEach) {
          queue.push(&mine[i++]);
          continue;
        }
        base::Chain<Item> chain;
        for (int n = 0; n != 5; ++n) chain.push_back(&mine[i++]);
        queue.push(std::move(chain));
      }
    });
  }
  for (std::size_t popper = 0; popper != kPoppers; ++popper) {
    threads.emplace_back([&, popper] {
      std::array<Item*, 16> batch{};
      while (popped.load(base::relaxed) != items.size()) {  // relaxed: only ends the loop
        std::uint32_t count = 0;
        if (popper == 0) {
          count = queue.pop_batch(batch.data(), 16);
        } else if ((batch[0] = queue.pop()) != nullptr) {
          count = 1;
        }
        for (std::uint32_t i = 0; i != count; ++i) ++batch[i]->seen;
        popped.fetch_add(count, base::relaxed);  // relaxed: only ends the loop
        if (count == 0) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::size_t seen_once = 0;
  for (const Item& item : items) seen_once += item.seen == 1 ? 1 : 0;
  CHECK(seen_once == items.size());
  CHECK(queue.empty());
}

TEST_SUITE_END();

}  // namespace volt::sched
