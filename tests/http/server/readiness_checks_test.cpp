// SPDX-License-Identifier: MIT

#include "http/server/readiness_checks.h"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "http/server/app.h"
#include "http/testing/test_client.h"
#include "runtime/base/atomic.h"
#include "runtime/cancel.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/waiting.h"

namespace volt::http {

using namespace std::chrono_literals;
using server::failing_checks;
using server::ReadinessCheck;
using server::ReadinessChecks;
using server::ReadinessFailure;

namespace {

struct Controlled {
  base::Atomic<bool> passes{true};
  base::Atomic<int> calls{0};
};

ReadinessCheck::Function controlled(std::shared_ptr<Controlled> state) {
  return [state]() -> Task<bool> {
    state->calls.fetch_add(1, base::relaxed);  // relaxed: a count
    co_await yield();
    co_return state->passes.load(base::relaxed);  // relaxed: a flag
  };
}

Task<bool> throws() {
  co_await yield();
  throw std::runtime_error("connection refused");
}

Task<bool> never_ends() {
  co_await sleep_for(1h);
  co_return true;
}

// Ignores that it is cancelled, until `released`.
Task<bool> stubborn(std::shared_ptr<Controlled> released) {
  while (released->passes.load(base::relaxed)) {  // relaxed: a flag
    try {
      co_await sleep_for(1ms);
    } catch (const Cancelled&) {
    }
  }
  co_return true;
}

std::vector<std::string> texts_of(const std::vector<ReadinessFailure>& failures) {
  std::vector<std::string> texts;
  for (const ReadinessFailure& failure : failures) texts.push_back(failure.check + ": " + failure.reason);
  return texts;
}

TestClientOptions client_options() { return {.server = {}, .io = test_options().io}; }

}  // namespace

TEST_SUITE_BEGIN("http/server/readiness_checks");

TEST_CASE("the failing checks are named with their reasons, in the order in which they were added") {
  Runtime runtime(test_options());
  const auto passing = std::make_shared<Controlled>();
  const auto failing = std::make_shared<Controlled>();
  failing->passes.store(false);
  const ReadinessChecks checks = {
      std::make_shared<ReadinessCheck>("slow", never_ends, ReadyOptions{.timeout = 20ms}),
      std::make_shared<ReadinessCheck>("good", controlled(passing), ReadyOptions()),
      std::make_shared<ReadinessCheck>("db", throws, ReadyOptions()),
      std::make_shared<ReadinessCheck>("bad", controlled(failing), ReadyOptions()),
  };
  const auto failures = runtime.block_on([&] { return failing_checks(checks, runtime); });
  CHECK(texts_of(failures) == std::vector<std::string>{"slow: no result within 20 ms", "db: connection refused",
                                                       "bad: the check returned false"});
  CHECK(checks[1]->last_result() == "");
  CHECK(checks[2]->last_result() == "connection refused");
}

TEST_CASE("those who ask from another runtime get the result, and a check runs once for all who ask") {
  Runtime runtime(test_options());
  Runtime asking(test_options());
  const auto state = std::make_shared<Controlled>();
  const ReadinessChecks checks = {std::make_shared<ReadinessCheck>("db", controlled(state), ReadyOptions{.cache = 1h})};
  for (int i = 0; i != 10; ++i) {
    CHECK(asking.block_on([&] { return failing_checks(checks, runtime); }).empty());
  }
  CHECK(state->calls.load() == 1);
}

TEST_CASE("a check that ignores its cancellation fails, and is not started again while it runs") {
  const auto running = std::make_shared<Controlled>();
  const auto calls = std::make_shared<Controlled>();
  Runtime runtime(test_options());
  const ReadinessChecks checks = {std::make_shared<ReadinessCheck>(
      "db",
      [running, calls] {
        calls->calls.fetch_add(1);
        return stubborn(running);
      },
      ReadyOptions{.timeout = 10ms})};
  for (int i = 0; i != 3; ++i) {
    const auto failures = runtime.block_on([&] { return failing_checks(checks, runtime); });
    CHECK(texts_of(failures) == std::vector<std::string>{"db: no result within 10 ms"});
  }
  CHECK(calls->calls.load() == 1);
  running->passes.store(false);
}

TEST_CASE("a result is used again for as long as ReadyOptions::cache says") {
  const auto state = std::make_shared<Controlled>();
  App app;
  app.ready_when("db", controlled(state), {.cache = 5s});
  TestClient client(std::move(app), client_options());
  CHECK(client.not_ready().empty());
  state->passes.store(false);
  CHECK(client.not_ready().empty());
  CHECK(state->calls.load() == 1);
  client.clock().advance(6s);
  CHECK(client.not_ready() == std::vector<std::string>{"db"});
  CHECK(state->calls.load() == 2);
}

TEST_CASE("checks of a TestClient run concurrently and time out by its clock") {
  App app;
  for (const char* name : {"a", "b"}) app.ready_when(name, never_ends, {.timeout = 3s});
  app.ready_when("c", throws);
  TestClient client(std::move(app), client_options());
  CHECK(client.not_ready() == std::vector<std::string>{"a", "b", "c"});
}

TEST_SUITE_END();

}  // namespace volt::http
