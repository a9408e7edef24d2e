// SPDX-License-Identifier: MIT

// PoolOptions: how a pool connects, and its limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "tls/client_options.h"

namespace volt::redis {

struct PoolOptions {
  // The server, in one of these forms. Users and passwords are percent-encoded; the number selects a database.
  //   redis://[[user]:password@]host[:6379][/0]       TCP
  //   rediss://[[user]:password@]host[:6379][/0]      TLS; the server's certificate must be valid for the host
  //   unix://[[user]:password@]/run/redis.sock[?db=0]
  std::string url = "redis://localhost";
  std::size_t connections_max = 4;  // maximum number of connections, without those of subscriptions
  std::size_t pipeline_max = 1024;  // maximum number of commands in progress on one connection; a batch counts as one
  // Maximum size of the commands in progress on one connection, in bytes. One larger command may be in progress alone.
  std::size_t pipeline_bytes_max = 16 * 1024 * 1024;
  std::size_t waiting_max = 10'000;  // maximum number of tasks that wait for a connection; Unavailable beyond
  std::size_t reply_bytes_max =
      64 * 1024 * 1024;  // maximum size of a reply in memory; a larger one ends its connection
  // Maximum time to connect, with name lookup, TLS and authentication.
  std::chrono::milliseconds connect_timeout = std::chrono::seconds(5);
  // Maximum time to wait for a connection, also while the pool reconnects; Unavailable beyond it.
  std::chrono::milliseconds acquire_timeout = std::chrono::seconds(1);
  // Maximum time from sending a command to its reply; CommandTimeout beyond it. A connection on which no reply arrives
  // for twice this time, although one is due, is closed.
  std::chrono::milliseconds command_timeout = std::chrono::seconds(5);
  // An unused connection is closed after this time.
  std::chrono::milliseconds idle_timeout = std::chrono::minutes(5);
  // Minimum wait between a failed attempt to connect and the next one. It doubles with each failure, up to backoff_max.
  std::chrono::milliseconds backoff_min = std::chrono::milliseconds(50);
  std::chrono::milliseconds backoff_max = std::chrono::seconds(2);
  // A subscription that receives nothing for this time sends a PING; if nothing follows either, it reconnects.
  std::chrono::milliseconds ping_interval = std::chrono::seconds(15);
  std::size_t subscription_queue_max = 1024;  // maximum number of messages that wait for the consumer of a subscription
  tls::ClientOptions tls = {};                // of rediss://
  std::string name = "default";               // label `pool` of the pool's metrics
};

// Returns options with `url` from REDIS_URL and `connections_max` from REDIS_MAX_CONN; the defaults apply to unset
// variables. Throws std::invalid_argument if REDIS_MAX_CONN is not a number from 1 to 10,000.
[[nodiscard]] PoolOptions options_from_environment();

}  // namespace volt::redis
