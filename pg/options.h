// SPDX-License-Identifier: MIT

// PoolOptions: how a pool connects, and its limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace volt::pg {

struct PoolOptions {
  // Connection string of libpq: "postgresql://user:password@host:5432/name?sslmode=require", or
  // "host=/run/postgresql dbname=name". Missing parameters come from the environment (PGHOST,
  // PGPASSWORD, ...), then from the defaults of libpq.
  std::string url = {};
  std::size_t connections_max = 10;  // maximum number of connections
  std::size_t pipeline_max = 16;     // maximum number of queries in progress on one connection; 1 disables pipelining
  std::size_t waiting_max = 10'000;  // maximum number of tasks that wait for a connection; Unavailable beyond it
  std::size_t statements_max = 256;  // maximum number of prepared statements of a connection; others are not prepared
  // Maximum time to connect, with name lookup, TLS and authentication.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(5);
  // Maximum time to wait for a connection; Unavailable beyond it.
  std::chrono::milliseconds acquire_timeout = std::chrono::seconds(3);
  // Maximum time from sending a query to its last row; QueryTimeout beyond it.
  std::chrono::milliseconds query_timeout = std::chrono::seconds(30);
  // Maximum wait for the results of abandoned queries, before the server is requested to cancel them.
  std::chrono::milliseconds drain_timeout = std::chrono::milliseconds(250);
  // An unused connection is closed after this time.
  std::chrono::milliseconds idle_timeout = std::chrono::minutes(10);
  // Minimum wait between a failed attempt to connect and the next one. It doubles with each failure, up to backoff_max.
  std::chrono::milliseconds backoff_min = std::chrono::milliseconds(100);
  std::chrono::milliseconds backoff_max = std::chrono::seconds(5);
  std::string name = "default";  // label `pool` of the pool's metrics
};

// Returns options with `url` from DATABASE_URL and `connections_max` from DATABASE_MAX_CONN; the defaults apply to
// unset variables. Throws std::invalid_argument if DATABASE_MAX_CONN is not a number from 1 to 10,000.
[[nodiscard]] PoolOptions options_from_environment();

}  // namespace volt::pg
