// SPDX-License-Identifier: MIT

#include "http/server/app_hooks.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/server/app.h"
#include "http/server/server.h"
#include "http/testing/test_client.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/http_client.h"
#include "tests/support/waiting.h"

namespace volt::http {

using namespace std::chrono_literals;

namespace {

using Events = std::shared_ptr<std::vector<std::string>>;  // steps run one after the other

Task<> note(Events events, std::string text) {
  co_await yield();
  events->push_back(std::move(text));
}

std::string where(int line) { return "app_hooks_test.cpp:" + std::to_string(line); }

TestClientOptions client_options() { return {.server = {}, .io = test_options().io}; }

}  // namespace

TEST_SUITE_BEGIN("http/server/app_hooks");

TEST_CASE("steps before_listen run in their order, once, before the server listens") {
  const auto events = std::make_shared<std::vector<std::string>>();
  Runtime runtime(test_options());
  App app;
  app.before_listen([events] { return note(events, "first"); });
  app.before_listen([events] { return note(events, "second"); });
  app.on_listen([events](const Address&) { events->push_back("listening"); });
  Server server(runtime, std::move(app));
  CHECK(events->empty());
  REQUIRE(server.listen(*Address::parse("127.0.0.1:0")));
  REQUIRE(server.listen(*Address::parse("127.0.0.1:0")));
  CHECK(*events == std::vector<std::string>{"first", "second", "listening", "listening"});
}

TEST_CASE("background tasks start when the steps before_listen have ended") {
  const auto events = std::make_shared<std::vector<std::string>>();
  App app;
  app.background([events] { return note(events, "background"); });
  app.before_listen([events] { return note(events, "first"); });
  app.before_listen([events] { return note(events, "second"); });
  TestClient client(std::move(app), client_options());
  client.clock().settle();
  CHECK(*events == std::vector<std::string>{"first", "second", "background"});
}

TEST_CASE("outermost middleware is around that of the app, also where no route matches, and the first is outermost") {
  const auto named = [](std::string name) {
    return [name](Request& request, Next next) -> Task<Response> {
      Response response = co_await next(request);
      response.add_header("X-Passed", name);
      co_return response;
    };
  };
  App app;
  app.get("/", [] { return "Hello"; });
  app.hooks()->outermost.emplace_back(named("outermost"));
  app.hooks()->outermost.emplace_back(named("second"));
  app.use(named("own"));
  TestClient client(std::move(app), client_options());
  for (const std::string_view path : {"/", "/none"}) {
    const auto response = client.get(path).send();
    std::vector<std::string> passed;
    for (const TestField& field : response.headers()) {
      if (field.name == "X-Passed") passed.push_back(field.value);
    }
    CHECK(passed == std::vector<std::string>{"own", "second", "outermost"});
  }
}

TEST_CASE("a step before_listen that throws keeps the server from listening, and its place is named") {
  const auto events = std::make_shared<std::vector<std::string>>();
  Runtime runtime(test_options());
  App app;
  app.before_listen([]() -> Task<> {
    co_await yield();
    throw std::runtime_error("no database");
  });
  const std::string place = where(__LINE__ - 4);
  app.before_listen([events] { return note(events, "second"); });
  app.on_listen([events](const Address&) { events->push_back("listening"); });
  Server server(runtime, std::move(app));
  std::string text;
  try {
    static_cast<void>(server.listen(*Address::parse("127.0.0.1:0")));
  } catch (const std::runtime_error& error) {
    text = error.what();
  }
  CHECK(text == "before_listen (" + place + "): no database");
  CHECK(events->empty());
}

TEST_CASE("prepare() cancels a step when its caller does not want to go on") {
  Runtime runtime(test_options());
  App app;
  app.before_listen([]() -> Task<> { co_await sleep_for(1h); });
  Server server(runtime, std::move(app));
  int calls = 0;
  CHECK(!server.prepare([&] { return ++calls < 3; }));
  CHECK(calls == 3);
}

TEST_CASE("a deferred listener refuses connections until it is started") {
  auto listeners = TcpListener::bind_shared(*Address::parse("127.0.0.1:0"), 2, true);
  REQUIRE(listeners);
  const Address address = listeners->front().local_address();
  Runtime runtime(test_options());
  const auto connects = [&] {
    return runtime.block_on([&]() -> Task<bool> {
      const Result<TcpStream> stream = co_await TcpStream::connect(address);
      co_return stream.has_value();
    });
  };
  CHECK(!connects());
  for (TcpListener& listener : *listeners) REQUIRE(listener.start());
  CHECK(connects());
  for (TcpListener& listener : *listeners) CHECK(listener.start());  // does nothing
}

TEST_CASE("steps after_drain run in reverse order; one that fails or takes too long does not keep the others from it") {
  const auto events = std::make_shared<std::vector<std::string>>();
  Runtime runtime(test_options());
  App app;
  app.after_drain([events] { return note(events, "first"); });
  app.after_drain([]() -> Task<> {
    co_await yield();
    throw std::runtime_error("disk full");
  });
  app.after_drain([]() -> Task<> { co_await sleep_for(1h); }, 5ms);
  app.after_drain([events] { return note(events, "last"); });
  Server server(runtime, std::move(app));
  CHECK(!server.finish());
  CHECK(*events == std::vector<std::string>{"last", "first"});
}

TEST_CASE("finish() succeeds if all steps do") {
  const auto events = std::make_shared<std::vector<std::string>>();
  Runtime runtime(test_options());
  App app;
  app.after_drain([events] { return note(events, "only"); });
  Server server(runtime, std::move(app));
  CHECK(server.finish());
  CHECK(*events == std::vector<std::string>{"only"});
}

TEST_CASE("a TestClient runs the steps") {
  const auto events = std::make_shared<std::vector<std::string>>();
  App app;
  app.get("/", [events] {
    events->push_back("request");
    return "";
  });
  app.before_listen([events] { return note(events, "before"); });
  app.after_drain([events]() -> Task<> {
    co_await sleep_for(1s);  // of the client's clock, which drain() advances
    events->push_back("after");
  });
  app.after_drain([events]() -> Task<> { co_await sleep_for(1h); });  // is cancelled by its limit
  TestClient client(std::move(app), client_options());
  CHECK(client.get("/").send().status() == 200);
  CHECK(client.drain());
  CHECK(client.drain());
  CHECK(*events == std::vector<std::string>{"before", "request", "after"});
}

TEST_CASE("a TestClient's constructor throws what a step before_listen threw") {
  App app;
  app.before_listen([]() -> Task<> {
    co_await yield();
    throw std::logic_error("wrong schema");
  });
  try {
    TestClient client(std::move(app), client_options());
    FAIL("the step was ignored");
  } catch (const std::runtime_error& error) {
    CHECK(std::string(error.what()).ends_with("): wrong schema"));
  }
}

TEST_CASE("a TestClient's constructor fails if a step waits for its clock") {
  App app;
  app.before_listen([]() -> Task<> { co_await sleep_for(1h); });
  TestClientOptions options = client_options();
  options.wait_timeout = 50ms;
  CHECK_THROWS_AS(TestClient(std::move(app), options), TestFailure);
}

TEST_SUITE_END();

}  // namespace volt::http
