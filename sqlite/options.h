// SPDX-License-Identifier: MIT

// PoolOptions: the file of a pool, and its limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace volt::sqlite {

// When a commit reaches the disk.
enum class Synchronous : std::uint8_t {
  normal,  // later: a power failure may lose the last commits, but does not damage the file
  full,    // before it is reported as done
};

struct PoolOptions {
  // The database file, which is created if it is missing; its folder must exist. Beside it, SQLite keeps two further
  // files, whose names end in -wal and -shm. ":memory:": a database in memory, which ends with the pool.
  std::string path = ":memory:";
  // Maximum number of connections that read, beside the one that writes. 0: all queries run on one connection, one
  // after the other, as they always do in memory.
  std::size_t readers_max = 4;
  std::size_t waiting_max = 10'000;  // maximum number of tasks that wait for a connection; Unavailable beyond it
  std::size_t statements_max = 256;  // maximum number of prepared statements that a connection keeps
  // Maximum time to wait for a connection; Unavailable beyond it.
  std::chrono::milliseconds acquire_timeout = std::chrono::seconds(3);
  // Maximum time of a query; it is interrupted then, and fails with QueryTimeout.
  std::chrono::milliseconds query_timeout = std::chrono::seconds(30);
  // Maximum time to wait for a lock on the file that another process, or another pool, holds; Busy beyond it.
  std::chrono::milliseconds busy_timeout = std::chrono::milliseconds(500);
  Synchronous synchronous = Synchronous::full;
  bool foreign_keys = true;      // enforce foreign keys
  std::string name = "default";  // label `pool` of the pool's metrics
};

}  // namespace volt::sqlite
