// SPDX-License-Identifier: MIT

// Access to the database that tests/support/private_postgres.py has started, through DATABASE_URL.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>

#include "pg/pg.h"
#include "runtime/time.h"
#include "tests/support/database.h"
#include "tests/support/sanitizers.h"

namespace volt::pg::test {

using namespace std::chrono_literals;
using volt::test::becomes;
using volt::test::count_becomes;
using volt::test::error_of;

inline std::string url() { return volt::test::variable("DATABASE_URL", "tests/support/private_postgres.py"); }

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

template <class Body>
void with_pool(PoolOptions options, Body body) {
  volt::test::with_pool_of<Pool>(std::move(options), std::move(body));
}

inline Task<int> backend(Pool& pool) {
  const auto pid = co_await pool.find<int>("select pg_backend_pid()");
  co_return pid.value();
}

}  // namespace volt::pg::test
