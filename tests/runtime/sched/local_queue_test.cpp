// SPDX-License-Identifier: MIT

#include "runtime/sched/local_queue.h"

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/sched/random.h"
#include "tests/support/hooked_atomics.h"
#include "tests/support/sanitizers.h"

namespace volt::sched {
namespace {

using test::HookedAtomics;

struct Item {
  Item* queue_next = nullptr;
  // Not atomic, so that the thread sanitizer detects whether the queue orders its users.
  bool written = false;
  int seen = 0;

  void take() { seen += written ? 1 : 100; }
};

template <class Queue>
void fill(Queue& queue, Item* items, std::uint32_t count) {
  for (std::uint32_t i = 0; i != count; ++i) REQUIRE(queue.try_push(&items[i]));
}

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/local_queue");

TEST_CASE("the owner takes the oldest item first") {
  std::array<Item, 8> items;
  LocalQueue<Item, 8> queue;
  CHECK(queue.empty());
  CHECK(queue.pop() == nullptr);
  for (int round = 0; round != 5; ++round) {  // past the end of the ring
    fill(queue, items.data(), 5);
    CHECK(queue.size() == 5);
    CHECK(queue.room() == 3);
    for (int i = 0; i != 5; ++i) CHECK(queue.pop() == &items[i]);
    CHECK(queue.empty());
  }
}

TEST_CASE("a full queue refuses items") {
  std::array<Item, 9> items;
  LocalQueue<Item, 8> queue;
  fill(queue, items.data(), 8);
  CHECK(queue.room() == 0);
  CHECK_FALSE(queue.try_push(&items[8]));
}

TEST_CASE("a thief takes the older half") {
  struct Case {
    const char* why;
    std::uint32_t queued;
    std::uint32_t mine;
    std::uint32_t stolen;
  };
  const Case cases[] = {
      {"an empty queue yields nothing", 0, 0, 0},
      {"a lone task is taken, because its owner's long task would delay it", 1, 0, 1},
      {"an even number is halved", 4, 0, 2},
      {"of an odd number the thief takes the larger half", 5, 0, 3},
      {"a full queue", 8, 0, 4},
      {"the thief has just enough room", 8, 4, 4},
      {"more than half full: the thief has enough work", 8, 5, 0},
  };
  for (const auto& [why, queued, mine_queued, stolen] : cases) {
    CAPTURE(why);
    std::array<Item, 8> items;
    std::array<Item, 8> own;
    LocalQueue<Item, 8> victim;
    LocalQueue<Item, 8> mine;
    fill(victim, items.data(), queued);
    fill(mine, own.data(), mine_queued);
    CHECK(victim.steal_half_into(mine) == stolen);
    CHECK(victim.size() == queued - stolen);
    CHECK(mine.size() == mine_queued + stolen);
    for (std::uint32_t i = 0; i != mine_queued; ++i) CHECK(mine.pop() == &own[i]);
    for (std::uint32_t i = 0; i != stolen; ++i) CHECK(mine.pop() == &items[i]);
    for (std::uint32_t i = stolen; i != queued; ++i) CHECK(victim.pop() == &items[i]);
  }
}

TEST_CASE("a queue cannot steal from itself") {
  std::array<Item, 2> items;
  LocalQueue<Item, 8> queue;
  fill(queue, items.data(), 2);
  CHECK(queue.steal_half_into(queue) == 0);
  CHECK(queue.size() == 2);
}

TEST_CASE("while a thief reads its slots, the owner can pop, other thieves get nothing and no slot is reused") {
  std::array<Item, 9> items;
  LocalQueue<Item, 8, HookedAtomics> victim;
  LocalQueue<Item, 8, HookedAtomics> mine;
  LocalQueue<Item, 8, HookedAtomics> other;
  fill(victim, items.data(), 8);

  bool looked = false;
  HookedAtomics::hook = [&] {  // items 0 to 3 are claimed
    looked = true;
    CHECK(victim.size() == 4);
    CHECK(victim.room() == 0);
    CHECK(victim.steal_half_into(other) == 0);
    CHECK(victim.pop() == &items[4]);
    CHECK_FALSE(victim.try_push(&items[8]));
  };
  CHECK(victim.steal_half_into(mine) == 4);
  CHECK(looked);
  CHECK(victim.room() == 5);
  for (const int i : {0, 1, 2, 3}) CHECK(mine.pop() == &items[i]);
  for (const int i : {5, 6, 7}) CHECK(victim.pop() == &items[i]);
  CHECK(victim.pop() == nullptr);
}

namespace {

// One owner pushes and pops while thieves steal and pop. Returns how many items were seen exactly once.
template <std::uint32_t kCapacity>
std::size_t seen_once_of(std::size_t count, std::size_t thief_count) {
  using Queue = LocalQueue<Item, kCapacity>;
  std::vector<Item> items(count);
  Queue queue;
  base::Atomic<bool> owner_done{false};

  std::vector<std::thread> thieves;
  for (std::size_t thief = 0; thief != thief_count; ++thief) {
    thieves.emplace_back([&] {
      Queue mine;
      for (bool last = false; !last;) {
        // Edge from the owner's store: all queued items are visible from here on.
        last = owner_done.load(base::acquire);
        while (queue.steal_half_into(mine) != 0) {
          while (Item* item = mine.pop()) item->take();
        }
      }
    });
  }
  Random random(count);
  for (Item& item : items) {
    item.written = true;
    if (!queue.try_push(&item)) item.take();
    if (random.below(3) != 0) continue;
    for (std::uint32_t pops = random.below(kCapacity); pops != 0; --pops) {
      Item* popped = queue.pop();
      if (popped == nullptr) break;
      popped->take();
    }
  }
  while (Item* item = queue.pop()) item->take();
  owner_done.store(true, base::release);  // edge to the thieves' load
  for (std::thread& thread : thieves) thread.join();

  std::size_t once = 0;
  for (const Item& item : items) once += item.seen == 1 ? 1 : 0;
  return once;
}

}  // namespace

TEST_CASE("each item is taken exactly once, by its owner or a thief") {
  constexpr std::size_t kItems = 60'000;
  SUBCASE("a ring of 2, one thief") { CHECK(seen_once_of<2>(kItems, 1) == kItems); }
  SUBCASE("a ring of 4, three thieves") { CHECK(seen_once_of<4>(kItems, 3) == kItems); }
  SUBCASE("a ring of the real capacity, three thieves") { CHECK(seen_once_of<256>(4 * kItems, 3) == 4 * kItems); }
}

TEST_CASE("items stolen back and forth among three owners are neither lost nor duplicated") {
  constexpr std::size_t kItems = 200;
  constexpr int kPolls = 30'000;  // each owner pops and pushes again up to this many items
  using Queue = LocalQueue<Item, 256>;
  std::vector<Item> items(kItems);
  std::array<Queue, 3> queues;
  for (Item& item : items) REQUIRE(queues[0].try_push(&item));

  const auto work = [&](std::size_t me) {
    Queue& mine = queues[me];
    Random random(me);
    for (int polls = 0; polls != kPolls; ++polls) {
      if (Item* item = mine.pop()) {
        ++item->seen;
        while (!mine.try_push(item)) std::this_thread::yield();  // a thief that was preempted still holds its slots
      } else if (queues[random.below(3)].steal_half_into(mine) == 0) {
        std::this_thread::yield();
      }
    }
  };
  std::thread second(work, 1);
  std::thread third(work, 2);
  work(0);
  second.join();
  third.join();

  std::size_t left = 0;
  std::size_t distinct = 0;
  for (Queue& queue : queues) {
    while (Item* item = queue.pop()) {
      ++left;
      distinct += std::exchange(item->written, true) ? 0 : 1;
    }
  }
  CHECK(left == kItems);
  CHECK(distinct == kItems);
}

TEST_CASE("an item stolen twice arrives as its first owner wrote it") {
  constexpr std::size_t kItems = 30'000;
  using Queue = LocalQueue<Item, 16>;
  std::vector<Item> items(kItems);
  Queue first;
  Queue second;  // its owner only steals, so that only its tail publishes the items
  base::Atomic<std::size_t> wanted{kItems};
  base::Atomic<bool> arrived{false};

  std::thread relay([&] {
    while (!arrived.load(base::relaxed)) {  // relaxed: only ends the loop
      if (first.steal_half_into(second) == 0) std::this_thread::yield();
    }
  });
  std::thread last([&] {
    Queue mine;
    for (std::size_t taken = 0; taken != wanted.load(base::relaxed);) {  // relaxed: only ends the loop
      if (second.steal_half_into(mine) == 0) std::this_thread::yield();
      for (; Item* item = mine.pop(); ++taken) item->take();
    }
    arrived.store(true, base::relaxed);  // relaxed: only ends the loop
  });
  test::TimedRounds rounds(kItems);
  while (rounds.next()) {
    Item& item = items[rounds.begun() - 1];
    item.written = true;
    while (!first.try_push(&item)) std::this_thread::yield();
  }
  wanted.store(rounds.begun(), base::relaxed);  // relaxed: as above
  relay.join();
  last.join();
  std::size_t once = 0;
  for (const Item& item : items) once += item.seen == 1 ? 1 : 0;
  CHECK(once == rounds.begun());
}

TEST_SUITE_END();

}  // namespace volt::sched
