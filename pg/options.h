// How a pool connects, and the bounds of what it does.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace volt::pg {

struct PoolOptions {
  // "postgresql://user:password@host:5432/name?sslmode=require", or "host=/run/postgresql dbname=name": libpq's connection
  // string. What it leaves out says the environment (PGHOST, PGPASSWORD ..), and then libpq.
  std::string url = {};
  std::size_t connections_max = 10;
  std::size_t pipeline_max = 16;     // queries under way on one connection; 1: each waits for a connection of its own
  std::size_t waiting_max = 10'000;  // tasks that wait for a connection; whoever comes then is refused
  std::size_t statements_max = 256;  // texts that a connection keeps prepared; those beyond are parsed each time
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(5);  // names, TLS and passwords included
  std::chrono::milliseconds acquire_timeout = std::chrono::seconds(3);  // a wait for a connection
  std::chrono::milliseconds query_timeout = std::chrono::seconds(30);   // from when it is sent to its last row
  std::chrono::milliseconds drain_timeout =
      std::chrono::milliseconds(250);                                 // for an answer that nobody waits for any more
  std::chrono::milliseconds idle_timeout = std::chrono::minutes(10);  // then an unused connection is closed
  std::chrono::milliseconds backoff_min =
      std::chrono::milliseconds(100);                               // after a failed attempt to connect, the next
  std::chrono::milliseconds backoff_max = std::chrono::seconds(5);  // not before; doubled each time, up to this
};

// `url` of DATABASE_URL, `connections_max` of DATABASE_MAX_CONN; what is not set is as above. Throws
// std::invalid_argument if the latter is no number from 1 to 10,000.
[[nodiscard]] PoolOptions options_from_environment();

}  // namespace volt::pg
