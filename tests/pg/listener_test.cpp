// SPDX-License-Identifier: MIT

#include "pg/listener.h"

#include <signal.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/concurrent.h"
#include "tests/pg/database.h"
#include "tests/support/manual_clock_runtime.h"

namespace volt::pg {
namespace {

using namespace test;

Task<> notify(Pool db, std::string channel, std::string payload) {
  co_await db.execute("select pg_notify($1, $2)", channel, payload);
}

// A listener on a manual clock, and the server's process that serves it, which can be stopped.
class ClockedListener {
 public:
  ClockedListener() {
    CHECK(await_next().gap);
    JoinHandle<int> pid = clock_.runtime.spawn(find_process, Pool(patient(1)));
    CHECK(volt::test::eventually([&] { return settled(pid); }));
    process_ = pid.task().take();
    REQUIRE(process_ > 1);
  }
  ~ClockedListener() { resume(); }
  ClockedListener(const ClockedListener&) = delete;
  ClockedListener& operator=(const ClockedListener&) = delete;

  void stop() { REQUIRE(::kill(process_, SIGSTOP) == 0); }
  void resume() { ::kill(process_, SIGCONT); }

  // Advances the clock by `time`, and waits for the next notification.
  Notification await_next(std::chrono::nanoseconds time = 0s) {
    JoinHandle<Notification> next = start();
    clock_.runtime.advance_clock(time);
    REQUIRE(volt::test::eventually([&] { return settled(next); }));
    return next.task().take();
  }
  // Calls next(), and cancels it after this time of the clock.
  void cut_next(std::chrono::nanoseconds time) {
    const JoinHandle<Notification> next = start();
    clock_.runtime.advance_clock(time);
    CHECK(!next.done());
    next.cancel();
    REQUIRE(volt::test::eventually([&] { return settled(next); }));
  }
  void send(std::string channel, std::string payload) {
    const JoinHandle<void> sent = clock_.runtime.spawn(notify, Pool(patient(1)), channel, payload);
    REQUIRE(volt::test::eventually([&] { return settled(sent); }));
  }

 private:
  static Task<Notification> next_of(std::shared_ptr<Listener> listener) { co_return co_await listener->next(); }
  static Task<int> find_process(Pool db) {
    const auto found = co_await db.find<int>("select pid from pg_stat_activity where query like 'listen%'");
    co_return found.value_or(0);
  }
  static PoolOptions options() {
    PoolOptions options = patient();
    options.backoff_min = 0ms;
    return options;
  }

  JoinHandle<Notification> start() { return clock_.runtime.spawn(next_of, listener_); }
  template <class T>
  bool settled(const JoinHandle<T>& task) {
    clock_.settle();
    return task.done();
  }

  volt::test::ManualClockRuntime clock_;
  std::shared_ptr<Listener> listener_ = std::make_shared<Listener>(options(), std::vector<std::string>{"orders"});
  pid_t process_ = 0;
};

}  // namespace

TEST_SUITE_BEGIN("pg/listener");

TEST_CASE("notifications of the channels arrive in their order, after a gap at the beginning") {
  with_pool(patient(), [](Pool db) -> Task<> {
    const std::vector<std::string> channels = {"orders", "Odd \"name\""};
    Listener listener(patient(), channels);
    const Notification first = co_await listener.next();
    CHECK(first.gap);
    co_await notify(db, "orders", "1");
    co_await notify(db, "others", "2");
    co_await notify(db, "Odd \"name\"", "3");
    co_await notify(db, "orders", std::string(7999, 'x'));
    {
      const Transaction dropped = co_await db.transaction();
      co_await dropped.execute("notify orders, 'dropped'");
    }
    co_await notify(db, "orders", "");
    const std::pair<std::string, std::string> expected[] = {
        {"orders", "1"}, {"Odd \"name\"", "3"}, {"orders", std::string(7999, 'x')}, {"orders", ""}};
    for (const auto& [channel, payload] : expected) {
      const Notification next = co_await listener.next();
      CHECK(!next.gap);
      CHECK(next.channel == channel);
      CHECK(next.payload == payload);
      CHECK(next.backend != 0);
    }
  });
}

TEST_CASE("many notifications arrive at once, also over TLS") {
  for (const char* variable : {"DATABASE_URL", "TEST_DATABASE_TLS_URL"}) {
    CAPTURE(variable);
    PoolOptions options = patient();
    options.url = std::getenv(variable);
    with_pool(patient(), [options](Pool db) -> Task<> {
      const std::vector<std::string> channels = {"orders"};
      Listener listener(options, channels);
      const Notification first = co_await listener.next();
      CHECK(first.gap);
      co_await db.execute("select pg_notify('orders', i || repeat('x', 1000)) from generate_series(1, 2000) i");
      for (int i = 1; i <= 2000; ++i) {
        const Notification next = co_await listener.next();
        REQUIRE(next.payload == std::to_string(i) + std::string(1000, 'x'));
      }
    });
  }
}

TEST_CASE("a wait that is cancelled misses nothing") {
  with_pool(patient(), [](Pool db) -> Task<> {
    const std::vector<std::string> channels = {"orders"};
    Listener listener(patient(), channels);
    const Notification first = co_await listener.next();
    CHECK(first.gap);
    const auto waiting = [&]() -> Task<> { static_cast<void>(co_await listener.next()); };
    const Result<void> cut = co_await within(30ms, waiting);
    CHECK(!cut);
    co_await notify(db, "orders", "kept");
    const Notification next = co_await listener.next();
    CHECK(next.payload == "kept");
  });
}

TEST_CASE("a listener whose connection is lost connects again, and tells the gap") {
  with_pool(patient(), [](Pool db) -> Task<> {
    PoolOptions options = patient();
    options.backoff_min = 5ms;
    const std::vector<std::string> channels = {"orders"};
    Listener listener(options, channels);
    const Notification first = co_await listener.next();
    CHECK(first.gap);
    const auto ended = co_await db.find<int>(
        "select count(pg_terminate_backend(pid))::int from pg_stat_activity where query like 'listen%'");
    CHECK(ended == 1);
    const Notification gap = co_await listener.next();
    CHECK(gap.gap);
    co_await notify(db, "orders", "after");
    const Notification next = co_await listener.next();
    CHECK(next.payload == "after");
  });
}

TEST_CASE("a wait that is cancelled while it checks the server misses nothing") {
  ClockedListener listener;
  listener.stop();
  listener.cut_next(61s);  // the check is sent
  listener.resume();
  for (const std::string payload : {"1", "2", "3"}) {
    listener.send("orders", payload);
    const Notification next = listener.await_next();
    CHECK(!next.gap);
    CHECK(next.payload == payload);
  }
  listener.cut_next(59s);
}

TEST_CASE("a server that is silent is noticed, though each wait is short") {
  ClockedListener listener;
  listener.stop();
  for (int i = 0; i != 13; ++i) listener.cut_next(5s);  // a minute of silence, and half of the ten seconds for a reply
  const Notification gap = listener.await_next(10s);
  CHECK(gap.gap);
  listener.resume();
  listener.send("orders", "after");
  const Notification next = listener.await_next();
  CHECK(next.payload == "after");
}

TEST_CASE("a listener needs a channel") {
  const std::vector<std::string> none;
  CHECK_THROWS_AS(Listener(PoolOptions(), none), std::invalid_argument);
}

TEST_SUITE_END();

}  // namespace volt::pg
