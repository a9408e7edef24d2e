// SPDX-License-Identifier: MIT

#include "runtime/sched/idle_state.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/sched/global_queue.h"
#include "runtime/sched/random.h"
#include "tests/support/sanitizers.h"

namespace volt::sched {

TEST_SUITE_BEGIN("runtime/sched/idle_state");

TEST_CASE("a notify claims the lowest parked worker, which then has the duty to search") {
  IdleState idle(4);
  CHECK(idle.claim_one() == std::nullopt);  // no worker sleeps
  idle.park(3);
  idle.park(1);
  CHECK(idle.parked_count() == 2);
  CHECK(idle.any_parked() == 1);

  CHECK(idle.claim_one() == 1);
  CHECK_FALSE(idle.is_parked(1));
  CHECK(idle.searching_count() == 1);
  CHECK(idle.claim_one() == std::nullopt);  // a worker searches

  CHECK(idle.unpark(1));
  CHECK(idle.stop_search(1));
  CHECK(idle.claim_one() == 3);
  CHECK(idle.unpark(3));
  CHECK(idle.stop_search(3));
  CHECK(idle.any_parked() == std::nullopt);
}

TEST_CASE("a directed wake claims its worker once and gives it no duty to search") {
  IdleState idle(2);
  CHECK_FALSE(idle.claim(0));  // the worker runs
  idle.park(0);
  CHECK(idle.claim(0));
  CHECK_FALSE(idle.claim(0));
  CHECK(idle.claim_one() == std::nullopt);
  CHECK_FALSE(idle.unpark(0));
  CHECK(idle.searching_count() == 0);
}

TEST_CASE("a worker that wakes by itself has no duty to search and is not claimed again") {
  IdleState idle(1);
  idle.park(0);
  CHECK_FALSE(idle.unpark(0));
  CHECK_FALSE(idle.is_parked(0));
  CHECK(idle.claim_one() == std::nullopt);
}

TEST_CASE("parking ends a search") {
  IdleState idle(2);
  CHECK(idle.try_start_search(0));
  idle.park(0);
  CHECK(idle.searching_count() == 0);
  CHECK(idle.claim_one() == 0);
}

TEST_CASE("at most half of the workers that are awake search without being claimed") {
  struct Case {
    const char* why;
    std::uint32_t workers;
    std::uint32_t parked;
    std::uint32_t searchers;
  };
  const Case cases[] = {
      {"a lone worker may", 1, 0, 1},         {"one of two", 2, 0, 1},
      {"two of three, rounded up", 3, 0, 2},  {"two of four", 4, 0, 2},
      {"the sleeping do not count", 8, 5, 2}, {"the last one awake may", 8, 7, 1},
      {"over several groups", 100, 40, 30},   {"a whole group asleep", 64, 32, 16},
      {"the greatest number", 1024, 0, 512},
  };
  for (const auto& [why, workers, parked, searchers] : cases) {
    CAPTURE(why);
    IdleState idle(workers);
    for (std::uint32_t worker = 0; worker != parked; ++worker) idle.park(worker);
    std::uint32_t searching = 0;
    for (std::uint32_t worker = parked; worker != workers; ++worker) {
      searching += idle.try_start_search(worker) ? 1 : 0;
    }
    CHECK(searching == searchers);
    CHECK(idle.searching_count() == searchers);
    CHECK(idle.try_start_search(parked));  // it searches already
    CHECK(idle.searching_count() == searchers);
  }
}

TEST_CASE("stop_search returns true only to the last searcher, whatever the searchers' groups") {
  IdleState idle(100);
  for (const std::uint32_t worker : {0u, 31u, 32u, 99u}) REQUIRE(idle.try_start_search(worker));
  CHECK_FALSE(idle.stop_search(0));
  CHECK_FALSE(idle.stop_search(99));
  CHECK_FALSE(idle.stop_search(31));
  CHECK(idle.stop_search(32));
}

TEST_CASE("with several groups every parked worker is found, and one searcher in any group suppresses wakes") {
  constexpr std::uint32_t kWorkers = 70;
  IdleState idle(kWorkers);
  for (std::uint32_t worker = 0; worker != kWorkers; ++worker) idle.park(worker);
  CHECK(idle.parked_count() == kWorkers);
  std::vector<std::uint32_t> claimed;
  while (const auto worker = idle.claim_one()) {
    CHECK(idle.claim_one() == std::nullopt);
    claimed.push_back(*worker);
    REQUIRE(idle.unpark(*worker));
    REQUIRE(idle.stop_search(*worker));
  }
  CHECK(claimed.size() == kWorkers);
  std::vector<std::uint32_t> first_claims(claimed.begin(), claimed.begin() + 3);
  std::sort(first_claims.begin(), first_claims.end());
  CHECK(first_claims == std::vector<std::uint32_t>{0, 32, 64});  // wakes spread over the groups
  std::sort(claimed.begin(), claimed.end());
  for (std::uint32_t worker = 0; worker != kWorkers; ++worker) CHECK(claimed[worker] == worker);
}

namespace {

// Atomics that record the operations on them: L for a load, W for a read-modify-write, F for a full fence.
struct TracedAtomics {
  static inline std::string trace;

  template <class T>
  struct Atomic : std::atomic<T> {
    using Base = std::atomic<T>;
    using Base::Base;
    // Each operation uses the order that the caller requests.
    T load(std::memory_order order) const noexcept { return traced('L', Base::load(order)); }
    T fetch_and(T bits, std::memory_order order) noexcept { return traced('W', Base::fetch_and(bits, order)); }
    T fetch_xor(T bits, std::memory_order order) noexcept { return traced('W', Base::fetch_xor(bits, order)); }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order success, std::memory_order failure) noexcept {
      return traced('W', Base::compare_exchange_strong(expected, desired, success, failure));
    }
    template <class Result>
    static Result traced(char what, Result result) {
      trace += what;
      return result;
    }
  };

  static void full_fence(Atomic<std::uint64_t>&) { trace += 'F'; }
};

template <class Act>
std::string trace_of(Act&& act) {
  TracedAtomics::trace.clear();
  act();
  return TracedAtomics::trace;
}

}  // namespace

TEST_CASE("each fence stands between the two accesses that it orders") {
  // A stress test seldom hits the window that a missing fence opens, so this test checks the order of the steps.
  BasicIdleState<TracedAtomics> one_group(4);
  BasicIdleState<TracedAtomics> two_groups(40);
  CHECK(trace_of([&] { static_cast<void>(one_group.claim_one()); }) == "FL");  // push, then the load
  CHECK(trace_of([&] { static_cast<void>(one_group.claim(1)); }) == "FL");
  CHECK(trace_of([&] { one_group.park(1); }) == "LWF");  // the caller's re-check follows
  CHECK(trace_of([&] { static_cast<void>(one_group.claim_one()); }) == "FLLW");
  CHECK(trace_of([&] { static_cast<void>(one_group.unpark(1)); }) == "L");
  // The caller's check of the queues follows.
  CHECK(trace_of([&] { static_cast<void>(one_group.stop_search(1)); }) == "WF");
  one_group.park(2);
  CHECK(trace_of([&] { static_cast<void>(one_group.claim(2)); }) == "FLW");
  CHECK(trace_of([&] { static_cast<void>(two_groups.stop_search(1)); }) == "WFL");
}

namespace {

struct Item {
  Item* queue_next = nullptr;
  int seen = 0;  // not atomic, for the thread sanitizer
  base::Atomic<bool> done{false};
};

// Workers that only take items from one queue, and park without a timeout when it is empty: a lost wake-up stops them.
class Crew {
 public:
  explicit Crew(std::vector<std::uint32_t> ids) : idle_(ids.back() + 1), ids_(std::move(ids)) {
    beds_ = std::make_unique<Bed[]>(ids_.back() + 1);
    for (const std::uint32_t id : ids_) threads_.emplace_back([this, id] { work(id); });
  }
  ~Crew() {
    stopping_.store(true, base::release);  // edge to work's load
    for (const std::uint32_t id : ids_) beds_[id].semaphore.release();
    for (std::thread& thread : threads_) thread.join();
  }

  void push(Item& item) {
    queue_.push(&item);
    notify();
  }
  // Sends a message to one worker only, whose mailbox holds one message.
  void mail(std::uint32_t id, Item& item) {
    beds_[id].mail.store(&item, base::release);  // edge to work's exchange
    if (idle_.claim(id)) beds_[id].semaphore.release();
  }
  [[nodiscard]] const std::vector<std::uint32_t>& ids() const { return ids_; }

 private:
  struct Bed {
    std::counting_semaphore<> semaphore{0};
    base::Atomic<Item*> mail{nullptr};
  };

  void notify() {
    if (const auto claimed = idle_.claim_one()) beds_[*claimed].semaphore.release();
  }

  Item* take(std::uint32_t id) {
    if (Item* item = beds_[id].mail.exchange(nullptr, base::acquire)) return item;  // edge from mail's store
    return queue_.pop();
  }

  void work(std::uint32_t id) {
    bool searching = false;
    while (!stopping_.load(base::acquire)) {  // edge from the destructor's store
      if (Item* item = take(id)) {
        if (searching && idle_.stop_search(id)) notify();
        searching = false;
        ++item->seen;
        item->done.store(true, base::release);  // edge to the waiter's load
        continue;
      }
      if (!searching && idle_.try_start_search(id)) {
        searching = true;
        continue;
      }
      idle_.park(id);
      const bool mailed = beds_[id].mail.load(base::relaxed) != nullptr;  // relaxed: idle_state.h I1
      if (!mailed && queue_.empty() && !stopping_.load(base::acquire)) beds_[id].semaphore.acquire();
      searching = idle_.unpark(id);
    }
  }

  IdleState idle_;
  std::vector<std::uint32_t> ids_;
  GlobalQueue<Item> queue_;
  std::unique_ptr<Bed[]> beds_;
  base::Atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

// Waits for `item`. Returns false after 10 s: its wake-up must have been lost.
bool wait_for(const Item& item) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (int spins = 0; !item.done.load(base::acquire); ++spins) {  // edge from work's store
    if (spins % 64 == 63) std::this_thread::yield();
    if (spins % 4096 == 4095 && std::chrono::steady_clock::now() > deadline) return false;
  }
  return true;
}

// Each of `pusher_count` threads pushes items in bursts and waits for each burst, so that the workers fall asleep again
// and again.
void no_wake_up_is_lost(std::vector<std::uint32_t> ids, std::size_t pusher_count, std::size_t bursts,
                        std::uint32_t mail_percent) {
  constexpr std::size_t kBurstMax = 4;
  std::vector<std::vector<Item>> items(pusher_count);
  for (auto& mine : items) mine = std::vector<Item>(bursts * kBurstMax);
  base::Atomic<std::size_t> lost{0};
  base::Atomic<std::size_t> handed_out{0};
  {
    Crew crew(std::move(ids));
    std::vector<std::thread> pushers;
    for (std::size_t pusher = 0; pusher != pusher_count; ++pusher) {
      pushers.emplace_back([&, pusher] {
        Random random(pusher);
        Item* next = items[pusher].data();
        for (test::TimedRounds rounds(bursts); rounds.next();) {
          Item* first = next;
          // One sender of messages, since a mailbox holds one message.
          if (pusher == 0 && random.below(100) < mail_percent) {
            const auto& all = crew.ids();
            crew.mail(all[random.below(static_cast<std::uint32_t>(all.size()))], *next++);
          } else {
            for (std::uint32_t count = 1 + random.below(kBurstMax); count != 0; --count) crew.push(*next++);
          }
          for (Item* item = first; item != next; ++item) {
            if (!wait_for(*item)) {
              lost.fetch_add(1, base::relaxed);  // relaxed: read after the join
              return;
            }
          }
          // A short pause meets the worker while it parks, a long one finds it asleep.
          if (random.below(16) == 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
          for (std::uint32_t waits = random.below(200); waits != 0; --waits) {
            static_cast<void>(lost.load(base::relaxed));  // relaxed: only takes time
          }
        }
        handed_out.fetch_add(static_cast<std::size_t>(next - items[pusher].data()),
                             base::relaxed);  // relaxed: as above
      });
    }
    for (std::thread& pusher : pushers) pusher.join();
  }
  CHECK(lost.load(base::relaxed) == 0);  // relaxed: joined
  std::size_t once = 0;
  std::size_t more_than_once = 0;
  for (const auto& mine : items) {
    for (const Item& item : mine) {
      once += item.seen == 1 ? 1 : 0;
      more_than_once += item.seen > 1 ? 1 : 0;
    }
  }
  CHECK(more_than_once == 0);
  CHECK(once == handed_out.load(base::relaxed));  // relaxed: joined
}

}  // namespace

TEST_CASE("no push and no message is overlooked by workers that park without a timeout") {
  SUBCASE("one worker, pushes") { no_wake_up_is_lost({0}, 1, 20'000, 0); }
  SUBCASE("one worker, messages") { no_wake_up_is_lost({0}, 1, 20'000, 100); }
  SUBCASE("three workers") { no_wake_up_is_lost({0, 1, 2}, 2, 4000, 25); }
  SUBCASE("workers of several groups") { no_wake_up_is_lost({0, 31, 32, 64, 99}, 2, 4000, 25); }
}

TEST_SUITE_END();

}  // namespace volt::sched
