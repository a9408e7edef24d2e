// SPDX-License-Identifier: MIT

#include "runtime/notify.h"

#include <doctest/doctest.h>

#include <vector>

#include "runtime/borrowed.h"
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
using NotifyRef = Borrowed<Notify>;

Task<> wait_for(NotifyRef notify) { co_await notify.get().notified(); }

RuntimeOptions settling_options() {
  RuntimeOptions options = test_options(1);
  options.manual_clock = true;
  return options;
}

std::size_t count_done(const std::vector<JoinHandle<void>>& tasks) {
  std::size_t count = 0;
  for (const auto& task : tasks) count += task.done() ? 1 : 0;
  return count;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/notify");

TEST_CASE("notify_one() wakes the longest waiter, and notify_all() wakes all waiters") {
  Runtime runtime(settling_options());
  Notify notify;
  std::vector<JoinHandle<void>> tasks;
  for (int i = 0; i != 100; ++i) tasks.push_back(runtime.spawn(wait_for, borrow(notify)));
  runtime.advance_clock(0s);
  CHECK(count_done(tasks) == 0);
  for (std::size_t i = 0; i != 3; ++i) {
    notify.notify_one();
    runtime.advance_clock(0s);
    CHECK(tasks[i].done());
    CHECK(count_done(tasks) == i + 1);
  }
  notify.notify_all();
  runtime.advance_clock(0s);
  CHECK(count_done(tasks) == 100);
}

TEST_CASE("notify_one() is remembered once, notify_all() is not") {
  Runtime runtime(settling_options());
  Notify notify;
  notify.notify_one();
  notify.notify_one();
  notify.notify_all();
  std::vector<JoinHandle<void>> tasks;
  for (int i = 0; i != 2; ++i) tasks.push_back(runtime.spawn(wait_for, borrow(notify)));
  runtime.advance_clock(0s);
  CHECK(count_done(tasks) == 1);
  notify.notify_all();
  runtime.advance_clock(0s);
  CHECK(count_done(tasks) == 2);
}

TEST_CASE("a waiter cancelled after it was picked passes the notification on; a waiter still queued leaves") {
  Runtime runtime(settling_options());
  Notify notify;
  auto body = [&]() -> Task<> {
    auto first = spawn(wait_for, borrow(notify));
    co_await yield();
    auto second = spawn(wait_for, borrow(notify));
    co_await yield();
    auto third = spawn(wait_for, borrow(notify));
    co_await yield();
    second.cancel();
    const Outcome waited = co_await outcome_of(std::move(second));
    CHECK(waited == Outcome::cancelled);
    notify.notify_one();
    first.cancel();
    const Outcome picked = co_await outcome_of(std::move(first));
    CHECK(picked == Outcome::cancelled);
    const Outcome next = co_await outcome_of(std::move(third));
    CHECK(next == Outcome::value);
  };
  runtime.block_on(body);
}

TEST_CASE("no notification is lost when it races with waits and cancels on all threads") {
  Runtime runtime(test_options());
  for (std::uint64_t round = 0; round != test::stress_rounds(100); ++round) {
    Notify notify;
    std::vector<JoinHandle<void>> tasks;
    for (int i = 0; i != 8; ++i) tasks.push_back(runtime.spawn(wait_for, borrow(notify)));
    for (int i = 0; i != 4; ++i) tasks[static_cast<std::size_t>(i)].cancel();
    REQUIRE(eventually([&] {
      notify.notify_one();
      return count_done(tasks) == tasks.size();
    }));
    for (int i = 0; i != 100; ++i) tasks.push_back(runtime.spawn(wait_for, borrow(notify)));
    for (int i = 0; i != 20; ++i) tasks[8 + static_cast<std::size_t>(i) * 5].cancel();
    REQUIRE(eventually([&] {
      notify.notify_all();
      return count_done(tasks) == tasks.size();
    }));
  }
}

TEST_SUITE_END();

}  // namespace volt
