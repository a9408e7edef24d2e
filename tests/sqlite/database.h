// SPDX-License-Identifier: MIT

// Pools of databases in a folder of the test's own.
#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/runtime.h"
#include "sqlite/sqlite.h"
#include "tests/support/database.h"
#include "tests/support/directory.h"
#include "tests/support/engine.h"

namespace volt::sqlite::test {

using namespace std::chrono_literals;
using volt::test::count_becomes;
using volt::test::error_of;

inline constexpr std::string_view kItems =
    "create table item (id integer primary key, name text not null unique, price real check (price >= 0));"
    "create table part (id integer primary key, item integer not null references item (id))";

// Counts to a number that takes minutes to reach.
inline constexpr std::string_view kEndless =
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000000000) select max(i) from n";

// Long timeouts, so that a loaded machine does not fail tests that are not about time.
inline PoolOptions patient(std::string path) {
  PoolOptions options;
  options.path = std::move(path);
  options.synchronous = Synchronous::normal;  // the disk of the machine is not tested
  options.acquire_timeout = 60s;
  options.query_timeout = 120s;
  options.busy_timeout = 60s;
  return options;
}

// Runs the coroutine `body(pool, options)` on a runtime of two workers, with a database in a file.
template <class Body>
void with_file(Body body, void (*change)(PoolOptions&) = nullptr) {
  const volt::test::Directory folder;
  PoolOptions options = patient((folder.path() / "test.db").string());
  if (change != nullptr) change(options);
  Runtime runtime(test_options());
  runtime.block_on([&]() -> Task<> {
    const Pool pool(options);
    co_await body(pool, options);
  });
}

inline Task<std::int64_t> count_of(Pool pool, std::string query) {
  const auto count = co_await pool.find<std::int64_t>(query);
  co_return count.value();
}

}  // namespace volt::sqlite::test
