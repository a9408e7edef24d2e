// SPDX-License-Identifier: MIT

// The parts of an app that are not requests: background tasks, and the functions that learn the listening addresses.
#include "http/server/app.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/server/server.h"
#include "runtime/base/atomic.h"
#include "runtime/log.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/manual_clock_runtime.h"
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;

struct Seen {
  base::Atomic<int> begun{0};
  base::Atomic<int> ended{0};
};

// Lives as long as the task that holds it.
class Presence {
 public:
  explicit Presence(std::shared_ptr<Seen> seen) noexcept : seen_(std::move(seen)) { seen_->begun.fetch_add(1); }
  ~Presence() { seen_->ended.fetch_add(1); }
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;

 private:
  const std::shared_ptr<Seen> seen_;
};

}  // namespace

TEST_SUITE_BEGIN("http/server/app");

TEST_CASE("background tasks start with the server and end with it") {
  const auto seen = std::make_shared<Seen>();
  Runtime runtime(test_options());
  App app;
  // A capturing coroutine: the closure lives as long as its task.
  app.background([seen]() -> Task<> {
    const Presence presence(seen);
    for (;;) co_await sleep_for(1h);
  });
  app.background([seen]() -> Task<> {
    const Presence presence(seen);
    co_await sleep_for(1ms);
    throw std::runtime_error("decided by the test");  // is logged, and affects nothing else
  });
  std::optional<Server> server(std::in_place, runtime, std::move(app));
  CHECK(test::eventually([&] { return seen->begun.load() == 2 && seen->ended.load() == 1; }));
  server.reset();
  CHECK(test::eventually([&] { return seen->ended.load() == 2; }));
}

TEST_CASE("a background task that awaits a cancelled task ends with a log line") {
  const auto logged = std::make_shared<base::Atomic<bool>>(false);
  RuntimeOptions options = test_options();
  options.log = std::make_shared<Log>(LogOptions{.sink = [logged](std::string_view lines) {
    if (lines.find("it awaited a task that was cancelled") != std::string_view::npos) logged->store(true);
  }});
  Runtime runtime(options);
  App app;
  app.background([]() -> Task<> {
    auto other = spawn([]() -> Task<> { co_await sleep_for(1h); });
    other.cancel();
    co_await std::move(other);
  });
  const Server server(runtime, std::move(app));
  CHECK(test::eventually([&] { return logged->load(); }));
}

TEST_CASE("background tasks begin after the steps before listening, and not if one of them fails") {
  for (const bool fails : {false, true}) {
    CAPTURE(fails);
    test::ManualClockRuntime clock;
    const auto seen = std::make_shared<Seen>();
    App app;
    app.background([seen]() -> Task<> {
      const Presence presence(seen);
      co_await sleep_for(1h);
    });
    app.before_listen([fails]() -> Task<> {
      if (fails) throw std::runtime_error("decided by the test");
      co_return;
    });
    Server server(clock.runtime, std::move(app));
    clock.runtime.advance_clock(0s);  // until all tasks wait
    CHECK(seen->begun.load() == 0);
    if (fails) {
      CHECK_THROWS_AS(server.prepare(), std::runtime_error);
    } else {
      CHECK(server.prepare());
    }
    clock.runtime.advance_clock(0s);
    CHECK(seen->begun.load() == (fails ? 0 : 1));
  }
}

TEST_CASE("reports of tasks name the place where a background task was added") {
  Runtime runtime(test_options());
  App app;
  app.background([]() -> Task<> { co_await sleep_for(1h); });
  const std::string place = "tests/http/server/app_test.cpp:" + std::to_string(__LINE__ - 1);
  const Server server(runtime, std::move(app));
  const TaskReport report = runtime.tasks(8);
  CHECK(std::ranges::count(report.tasks, place, &TaskInfo::detached_at) == 1);
}

TEST_CASE("on_listen is called once for each address, with its port") {
  std::vector<std::string> announced;
  Runtime runtime(test_options());
  App app;
  app.on_listen([&](const Address& address) { announced.push_back(address.to_string()); });
  Server server(runtime, std::move(app));
  const auto first = server.listen(*Address::parse("127.0.0.1:0"));
  const auto second = server.listen(*Address::parse("127.0.0.1:0"));
  REQUIRE(first);
  REQUIRE(second);
  CHECK(announced == std::vector{first->to_string(), second->to_string()});
}

}  // namespace volt::http
