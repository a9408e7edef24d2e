// SPDX-License-Identifier: MIT

// Parts of the tests of all database clients: pools on a runtime, the errors of tasks, and waits for a condition.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/support/engine.h"

namespace volt::test {

using namespace std::chrono_literals;

// Returns an environment variable that `script` sets for the tests.
inline std::string variable(const char* name, const char* script) {
  const char* set = std::getenv(name);
  REQUIRE_MESSAGE(set != nullptr, name << " is not set: run the tests with " << script);
  return set;
}

// Runs the coroutine `body(pool)` on a runtime of two workers.
template <class Pool, class Options, class Body>
void with_pool_of(Options options, Body body) {
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    Pool pool(std::move(options));
    co_await body(pool);
  });
}

// Returns the error that awaiting the task throws. Fails a check if it throws none, or another type.
template <class Expected, class T>
Task<std::optional<Expected>> error_of(Task<T> task) {
  try {
    co_await std::move(task);
  } catch (const Expected& error) {
    co_return error;
  } catch (const std::exception& error) {
    FAIL_CHECK(error.what());
    co_return std::nullopt;
  }
  FAIL_CHECK("nothing was thrown");
  co_return std::nullopt;
}

// Waits until `condition()` is true. Returns false if that does not happen in time.
inline Task<bool> becomes(std::function<bool()> condition) {
  for (int round = 0; round != 6000; ++round) {
    if (condition()) co_return true;
    co_await sleep_for(10ms);
  }
  co_return false;
}

// Repeats the query until its count is the wanted one. Returns false if this does not happen in time.
template <class Pool>
Task<bool> count_becomes(Pool pool, std::string text, std::int64_t wanted) {
  for (int round = 0; round != 3000; ++round) {
    const auto count = co_await pool.template find<std::int64_t>(text);
    if (count == wanted) co_return true;
    co_await sleep_for(10ms);
  }
  co_return false;
}

}  // namespace volt::test
