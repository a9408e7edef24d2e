// SPDX-License-Identifier: MIT

#include "runtime/select.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/broadcast.h"
#include "runtime/cancel_token.h"
#include "runtime/channel.h"
#include "runtime/mutex.h"
#include "runtime/notify.h"
#include "runtime/oneshot.h"
#include "runtime/rw_lock.h"
#include "runtime/semaphore.h"
#include "runtime/time.h"
#include "runtime/watch.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/sanitizers.h"

namespace volt {
namespace {

using test::ManualClockRuntime;
using test::Outcome;
using test::outcome_of;
using namespace std::chrono_literals;

// One primitive of each kind. None of the locks can be acquired while `busy` exists.
struct Everything {
  struct Busy {
    Mutex::Guard mutex;
    RwLock::WriteGuard rw_lock;
    Semaphore::Permit permits;
  };
  Busy busy() {
    return {std::move(*mutex.try_lock()), std::move(*rw_lock.try_write()), std::move(*semaphore.try_acquire(2))};
  }

  Mutex mutex;
  RwLock rw_lock;
  Semaphore semaphore{2};
  Notify notify;
  CancelSource source;
  std::pair<Sender<std::string>, Receiver<std::string>> inbox = channel<std::string>(1);
  std::pair<Sender<std::string>, Receiver<std::string>> outbox = channel<std::string>(1);
  std::pair<OneshotSender<std::string>, OneshotReceiver<std::string>> reply = oneshot<std::string>();
  std::pair<WatchSender<std::string>, WatchReceiver<std::string>> config = watch<std::string>("");
  Broadcaster<std::string> events{4};
  Subscriber<std::string> subscriber = events.subscribe();
};

// Returns the index of the operation that happened, and its value if it has one.
Task<std::pair<std::size_t, std::string>> choose(Borrowed<Everything> all) {
  Everything& it = all.get();
  auto chosen = co_await select(it.mutex.lock(), it.rw_lock.read(), it.rw_lock.write(), it.semaphore.acquire(2),
                                it.notify.notified(), it.source.token().cancelled(), it.inbox.second.receive(),
                                it.outbox.first.send(std::string(100, 'o')), it.reply.second.receive(),
                                it.config.second.changed(), it.subscriber.receive(), sleep_for(1h));
  std::string value;
  if (chosen.index() == 6) value = *std::get<6>(chosen);
  if (chosen.index() == 8) value = *std::get<8>(chosen);
  if (chosen.index() == 10) value = *std::get<10>(chosen)->value;
  co_return std::pair(chosen.index(), value);
}

// Checks that every primitive is unchanged and free: no losing operation has happened, and none is left in a queue.
void check_untouched(Everything& all, bool all_free) {
  if (all_free) {
    CHECK(all.mutex.try_lock());
    CHECK(all.rw_lock.try_write());
    CHECK(all.semaphore.try_acquire(2));
  }
  CHECK(!all.notify.try_notified());
  CHECK(all.inbox.first.try_send("in") == Sent::sent);
  CHECK(all.inbox.second.try_receive() == "in");
  all.config.first.send("changed");
  CHECK(all.config.second.try_changed());
  all.events.send("event");
  CHECK(all.subscriber.try_receive());
}

using Numbers = std::pair<Sender<std::uint64_t>, Receiver<std::uint64_t>>;

Task<> produce(Sender<std::uint64_t> sender, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = 0; i != count; ++i) REQUIRE(co_await sender.send(first + i));
}

struct Tally {
  base::Atomic<std::uint64_t> sum{0};
  base::Atomic<std::uint64_t> count{0};
};

// Receives from both channels until both are closed and empty.
Task<> take_either(Receiver<std::uint64_t> left, Receiver<std::uint64_t> right, Borrowed<Tally> tally) {
  for (;;) {
    auto from_left = left.receive();
    auto from_right = right.receive();
    auto tired = sleep_for(1us);
    auto chosen = co_await select(from_left, from_right, tired);
    std::optional<std::uint64_t> value;
    if (chosen.index() == 0) value = std::get<0>(chosen);
    if (chosen.index() == 1) value = std::get<1>(chosen);
    if (value) {
      tally.get().sum.fetch_add(*value, base::relaxed);  // relaxed: read when all tasks are done
      tally.get().count.fetch_add(1, base::relaxed);     // relaxed: as above
      continue;
    }
    if (left.closed() && right.closed() && left.size() == 0 && right.size() == 0) co_return;
  }
}

struct Locks {
  Mutex mutex;
  RwLock rw_lock;
  Semaphore semaphore{2};
};

Task<> take_any_lock(Borrowed<Locks> locks, std::uint64_t rounds) {
  Locks& all = locks.get();
  for (std::uint64_t i = 0; i != rounds; ++i) {
    auto locking = all.mutex.lock();
    auto writing = all.rw_lock.write();
    auto reading = all.rw_lock.read();
    auto acquiring = all.semaphore.acquire(2);
    auto tired = sleep_for(std::chrono::microseconds(i % 5));
    const auto chosen = co_await select(locking, writing, reading, acquiring, tired);
    if (i % 3 == 0) co_await yield();
  }
}

Task<> take_each_lock(Borrowed<Locks> locks, std::uint64_t rounds) {
  Locks& all = locks.get();
  for (std::uint64_t i = 0; i != rounds; ++i) {
    const Mutex::Guard guard = co_await all.mutex.lock();
    const RwLock::WriteGuard write = co_await all.rw_lock.write();
    const Result<Semaphore::Permit> permits = co_await all.semaphore.acquire(1 + i % 2);
    if (i % 3 == 0) co_await yield();
  }
}

}  // namespace

TEST_SUITE_BEGIN("runtime/select");

TEST_CASE("select() chooses the first operation that happens, and no other operation has happened") {
  struct Case {
    std::string why;
    std::size_t index;
    std::string value;
    void (*happen)(Everything& all, std::optional<Everything::Busy>& busy);
  };
  const Case cases[] = {
      {"a lock is free", 0, "", [](auto&, auto& busy) { static_cast<void>(Mutex::Guard(std::move(busy->mutex))); }},
      {"a lock may be read", 1, "",
       [](auto&, auto& busy) { static_cast<void>(RwLock::WriteGuard(std::move(busy->rw_lock))); }},
      {"there are permits", 3, "",
       [](auto&, auto& busy) { static_cast<void>(Semaphore::Permit(std::move(busy->permits))); }},
      {"a notification", 4, "", [](auto& all, auto&) { all.notify.notify_one(); }},
      {"a notification of all", 4, "", [](auto& all, auto&) { all.notify.notify_all(); }},
      {"a cancel", 5, "", [](auto& all, auto&) { all.source.cancel(); }},
      {"a value", 6, "in", [](auto& all, auto&) { CHECK(all.inbox.first.try_send("in") == Sent::sent); }},
      {"room", 7, "", [](auto& all, auto&) { CHECK(all.outbox.second.try_receive() == "full"); }},
      {"a reply", 8, "reply", [](auto& all, auto&) { CHECK(std::move(all.reply.first).send("reply")); }},
      {"a change", 9, "", [](auto& all, auto&) { all.config.first.send("new"); }},
      {"an event", 10, "event", [](auto& all, auto&) { all.events.send("event"); }},
      {"time", 11, "", [](auto&, auto&) {}},
  };
  for (const auto& [why, index, value, happen] : cases) {
    for (const bool before : {false, true}) {
      if (before && (index == 11 || why == "a notification of all")) continue;  // these happen only while a task waits
      CAPTURE(why);
      CAPTURE(before);
      Everything all;
      ManualClockRuntime bench;
      std::optional<Everything::Busy> busy(all.busy());
      CHECK(all.outbox.first.try_send("full") == Sent::sent);
      if (before) happen(all, busy);
      auto choosing = bench.runtime.spawn(choose, borrow(all));
      bench.settle();
      if (!before) {
        CHECK(!choosing.done());
        happen(all, busy);
      }
      if (index == 11) bench.runtime.advance_clock(1h + 1s);
      const auto [chosen, got] = bench.result_of(std::move(choosing));
      CHECK(chosen == index);
      CHECK(got == value);
      busy.reset();
      check_untouched(all, true);
    }
  }
}

TEST_CASE("if several operations are ready, select() chooses the first, and the others have not happened") {
  ManualClockRuntime bench;
  auto [first_sender, first] = channel<int>(1);
  auto [second_sender, second] = channel<int>(1);
  CHECK(first_sender.try_send(1) == Sent::sent);
  CHECK(second_sender.try_send(2) == Sent::sent);
  auto body = [&]() -> Task<> {
    auto one = first.receive();
    auto two = second.receive();
    const auto chosen = co_await select(one, two);
    CHECK(chosen.index() == 0);
    CHECK(std::get<0>(chosen) == 1);
  };
  bench.runtime.block_on(body);
  CHECK(second.try_receive() == 2);
}

TEST_CASE("if several values arrive at once, select() takes one, and the other values are left for the next waiters") {
  ManualClockRuntime bench;
  auto [first_sender, first] = channel<int>(1);
  auto [second_sender, second] = channel<int>(1);
  auto either = [](Receiver<int> one, Receiver<int> two) -> Task<std::size_t> {
    auto from_one = one.receive();
    auto from_two = two.receive();
    const auto chosen = co_await select(from_one, from_two);
    co_return chosen.index();
  };
  auto only = [](Receiver<int> one) -> Task<std::optional<int>> { co_return co_await one.receive(); };
  auto choosing = bench.runtime.spawn(either, first, second);
  bench.settle();
  auto waiting = bench.runtime.spawn(only, second);
  bench.settle();
  auto body = [&]() -> Task<> {  // both sends happen in one turn of the only worker
    CHECK(first_sender.try_send(1) == Sent::sent);
    CHECK(second_sender.try_send(2) == Sent::sent);
    co_return;
  };
  bench.runtime.block_on(body);
  CHECK(bench.result_of(std::move(choosing)) == 0);
  CHECK(bench.result_of(std::move(waiting)) == 2);
}

TEST_CASE("a cancelled select() has taken nothing, whether it waits or was just served") {
  Everything all;
  ManualClockRuntime bench;
  std::optional<Everything::Busy> busy(all.busy());
  CHECK(all.outbox.first.try_send("full") == Sent::sent);
  SUBCASE("before it begins") {
    auto choosing = bench.runtime.spawn(choose, borrow(all));
    choosing.cancel();
    CHECK(bench.runtime.block_on(outcome_of<std::pair<std::size_t, std::string>>, std::move(choosing)) ==
          Outcome::cancelled);
  }
  SUBCASE("while it waits") {
    auto choosing = bench.runtime.spawn(choose, borrow(all));
    bench.settle();
    choosing.cancel();
    CHECK(bench.runtime.block_on(outcome_of<std::pair<std::size_t, std::string>>, std::move(choosing)) ==
          Outcome::cancelled);
  }
  SUBCASE("after it was served") {
    auto body = [&]() -> Task<> {
      auto choosing = spawn(choose, borrow(all));
      co_await yield();
      {
        const Mutex::Guard given = std::move(busy->mutex);
      }
      CHECK(!all.mutex.try_lock());  // the select() holds the lock by now
      choosing.cancel();
      const Outcome outcome = co_await outcome_of(std::move(choosing));
      CHECK(outcome == Outcome::cancelled);
    };
    bench.runtime.block_on(body);
  }
  busy.reset();
  check_untouched(all, true);
  CHECK(std::move(all.reply.first).send("reply"));
  CHECK(all.reply.second.try_receive() == "reply");
}

TEST_CASE("no value is lost or received twice when winners and losers of selects race") {
  Runtime runtime(test_options());
  const std::uint64_t count = test::stress_rounds(4'000);
  Tally tally;
  Numbers left = channel<std::uint64_t>(2);
  Numbers right = channel<std::uint64_t>(1);
  std::vector<JoinHandle<void>> producing;
  for (std::uint64_t i = 0; i != 4; ++i) {
    Sender<std::uint64_t>& sender = i % 2 == 0 ? left.first : right.first;
    producing.push_back(runtime.spawn(produce, sender, i * count, std::uint64_t{count}));
  }
  std::vector<JoinHandle<void>> taking;
  for (int i = 0; i != 3; ++i) taking.push_back(runtime.spawn(take_either, left.second, right.second, borrow(tally)));
  for (auto& task : producing) REQUIRE(test::eventually([&] { return task.done(); }, 120s));
  left.first.close();
  right.first.close();
  for (auto& task : taking) REQUIRE(test::eventually([&] { return task.done(); }, 120s));
  CHECK(tally.count.load(base::relaxed) == 4 * count);                      // relaxed: all tasks are done
  CHECK(tally.sum.load(base::relaxed) == 4 * count * (4 * count - 1) / 2);  // relaxed: as above
}

TEST_CASE("no lock is lost when selects, their losers and cancels race") {
  Runtime runtime(test_options());
  for (std::uint64_t round = 0; round != test::stress_rounds(100); ++round) {
    Locks locks;
    std::vector<JoinHandle<void>> tasks;
    for (int i = 0; i != 6; ++i) {
      tasks.push_back(i % 2 == 0 ? runtime.spawn(take_any_lock, borrow(locks), std::uint64_t{20})
                                 : runtime.spawn(take_each_lock, borrow(locks), std::uint64_t{20}));
    }
    if (round % 2 == 1) tasks[round % 6].cancel();
    for (auto& task : tasks) REQUIRE(test::eventually([&] { return task.done(); }, 120s));
    REQUIRE(locks.mutex.try_lock());
    REQUIRE(locks.rw_lock.try_write());
    REQUIRE(locks.semaphore.available() == 2);
  }
}

TEST_SUITE_END();

}  // namespace volt
