// SPDX-License-Identifier: MIT

#include "runtime/sched/run_queue.h"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include "runtime/base/atomic.h"
#include "runtime/sched/random.h"
#include "tests/support/hooked_atomics.h"

namespace volt::sched {
namespace {

struct Item {
  Item* queue_next = nullptr;
  int seen = 0;  // not atomic: two threads that take the item are a race
};
using Queue = RunQueue<Item, 8>;
using test::HookedAtomics;

TEST_SUITE_BEGIN("runtime/sched/run_queue");

TEST_CASE("items leave in the order of their arrival, though they do not all fit into the local queue") {
  std::array<Item, 40> items;
  Queue queue;
  std::size_t pushed = 0;
  std::size_t popped = 0;
  const auto push = [&](std::size_t count) {
    for (; count != 0; --count, ++pushed) static_cast<void>(queue.push(&items[pushed % items.size()]));
  };
  const auto pop = [&](std::size_t count) {
    for (; count != 0; --count, ++popped) REQUIRE(queue.pop() == &items[popped % items.size()]);
  };
  push(30);
  CHECK(queue.size() == 30);
  CHECK(queue.room() == 0);
  for (int round = 0; round != 20; ++round) {  // the queue stays longer than what fits
    pop(7);
    push(7);
  }
  pop(30);
  CHECK(queue.empty());
  CHECK(queue.pop() == nullptr);
  push(8);
  CHECK(queue.room() == 0);  // after an overflow the local queue is used again
  pop(8);
}

TEST_CASE("push tells whether the item fitted") {
  std::array<Item, 9> items;
  Queue queue;
  for (Item& item : std::span(items).first(8)) CHECK(queue.push(&item));
  CHECK_FALSE(queue.push(&items[8]));
}

TEST_CASE("a thief gets half of the local queue, and then what waits behind it") {
  std::array<Item, 20> items;
  Queue victim;
  Queue mine;
  for (Item& item : items) static_cast<void>(victim.push(&item));
  std::size_t taken = 0;
  const auto take_all = [&] {
    for (; Item* item = mine.pop(); ++taken) ++item->seen;
  };
  while (victim.steal_half_into(mine) != 0) take_all();
  CHECK(taken == items.size());
  for (const Item& item : items) CHECK(item.seen == 1);
  CHECK(victim.empty());
}

TEST_CASE("a thief that has enough of its own, or is the owner, gets nothing from behind the local queue") {
  std::array<Item, 20> items;
  std::array<Item, 5> own;
  Queue victim;
  Queue mine;
  for (Item& item : items) static_cast<void>(victim.push(&item));
  for (Item& item : own) CHECK(mine.push(&item));
  CHECK(victim.steal_half_into(mine) == 0);
  CHECK(victim.steal_half_into(victim) == 0);
  CHECK(victim.size() == items.size());
  while (victim.pop() != nullptr) continue;
  while (mine.pop() != nullptr) continue;
}

TEST_CASE("while a thief reads its slots, the owner gets all other items, in their order") {
  std::array<Item, 14> items;
  RunQueue<Item, 8, HookedAtomics> victim;
  RunQueue<Item, 8, HookedAtomics> mine;
  for (Item& item : items) static_cast<void>(victim.push(&item));
  bool looked = false;
  HookedAtomics::hook = [&] {  // the thief has claimed items 0 to 3
    looked = true;
    for (std::size_t i = 4; i != items.size(); ++i) CHECK(victim.pop() == &items[i]);
    CHECK(victim.pop() == nullptr);
    CHECK(victim.empty());
  };
  CHECK(victim.steal_half_into(mine) == 4);
  CHECK(looked);
  for (const std::size_t i : {0, 1, 2, 3}) CHECK(mine.pop() == &items[i]);
}

TEST_CASE("an owner that only pushes fills the local queue again after thefts") {
  std::array<Item, 30> items;
  Queue victim;
  Queue mine;
  for (Item& item : std::span(items).first(20)) static_cast<void>(victim.push(&item));
  while (victim.room() < 4) CHECK(victim.steal_half_into(mine) != 0);
  const std::uint32_t room = victim.room();
  CHECK_FALSE(victim.push(&items[20]));
  CHECK(victim.room() < room);
  while (victim.pop() != nullptr) continue;
  while (mine.pop() != nullptr) continue;
}

TEST_CASE("each item is taken exactly once, by the owner or by one of three thieves") {
  constexpr std::size_t kItems = 60'000;
  std::vector<Item> items(kItems);
  RunQueue<Item, 4> queue;
  base::Atomic<bool> all_pushed{false};
  std::vector<std::thread> thieves;
  for (int thief = 0; thief != 3; ++thief) {
    thieves.emplace_back([&] {
      RunQueue<Item, 4> mine;
      for (bool last = false; !last;) {
        last =
            all_pushed.load(base::acquire);  // edge from the owner's store: all queued items are visible from here on
        while (queue.steal_half_into(mine) != 0) {
          while (Item* item = mine.pop()) ++item->seen;
        }
      }
    });
  }
  Random random(1);
  for (Item& item : items) {
    static_cast<void>(queue.push(&item));
    for (std::uint32_t pops = random.below(3); pops != 0; --pops) {
      Item* popped = queue.pop();
      if (popped == nullptr) {
        REQUIRE(queue.size() == 0);
        break;
      }
      ++popped->seen;
    }
  }
  all_pushed.store(true, base::release);  // edge to the thieves' load
  while (Item* item = queue.pop()) ++item->seen;
  for (std::thread& thread : thieves) thread.join();
  std::size_t once = 0;
  for (const Item& item : items) once += item.seen == 1 ? 1 : 0;
  CHECK(once == kItems);
}

TEST_SUITE_END();

}  // namespace
}  // namespace volt::sched
