// SPDX-License-Identifier: MIT

// Access to the database that tests/support/private_postgres.py has started, through DATABASE_URL.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

#include "pg/pg.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"

namespace volt::pg::test {

using namespace std::chrono_literals;

inline std::string url() {
  const char* set = std::getenv("DATABASE_URL");
  REQUIRE_MESSAGE(set != nullptr, "DATABASE_URL is not set: run the tests with tests/support/private_postgres.py");
  return set;
}

// Long timeouts, so that a loaded machine does not fail tests that are not about time.
inline PoolOptions patient(std::size_t connections_max = 4) {
  PoolOptions options;
  options.url = url();
  options.connections_max = connections_max;
  options.connect_timeout = 60s;
  options.acquire_timeout = 60s;
  options.query_timeout = 120s;
  return options;
}

// Runs the coroutine `body(pool)` on a runtime of two workers.
template <class Body>
void with_pool(PoolOptions options, Body body) {
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    Pool pool(std::move(options));
    co_await body(pool);
  });
}

// Repeats the query until its count is the wanted one. Returns false if this does not happen in time.
inline Task<bool> count_becomes(Pool& pool, std::string text, std::int64_t wanted) {
  for (int round = 0; round != 600; ++round) {
    const auto count = co_await pool.find<std::int64_t>(text);
    if (count == wanted) co_return true;
    co_await sleep_for(50ms);
  }
  co_return false;
}

inline Task<int> backend(Pool& pool) {
  const auto pid = co_await pool.find<int>("select pg_backend_pid()");
  co_return pid.value();
}

// Returns the error that awaiting the task throws. Fails a check if it throws none, or another type.
template <class Error, class T>
Task<std::optional<Error>> error_of(Task<T> task) {
  try {
    co_await std::move(task);
  } catch (const Error& error) {
    co_return error;
  } catch (const std::exception& error) {
    FAIL_CHECK(error.what());
    co_return std::nullopt;
  }
  FAIL_CHECK("nothing was thrown");
  co_return std::nullopt;
}

}  // namespace volt::pg::test
