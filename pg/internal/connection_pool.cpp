// SPDX-License-Identifier: MIT

#include "pg/internal/connection_pool.h"

#include <string.h>

#include <memory>
#include <utility>

#include "pg/error.h"
#include "pg/internal/connect.h"

namespace volt::pg::internal {
namespace {

database::ConnectionPoolOptions limits_of(const PoolOptions& options) {
  return {.connections_max = options.connections_max,
          .leases_max = options.pipeline_max,
          .connecting_max = options.connections_max,
          .waiting_max = options.waiting_max,
          .acquire_timeout = options.acquire_timeout,
          .backoff_min = options.backoff_min,
          .backoff_max = options.backoff_max};
}

constexpr database::Peer kPeer{
    .module = "pg", .label = "database", .lost = "lost the database", .back = "the database is back"};

}  // namespace

ConnectionPool::ConnectionPool(PoolOptions options)
    : database::ConnectionPool(limits_of(options), kPeer, {}), options_(std::move(options)) {}

ConnectionPool::~ConnectionPool() { ::explicit_bzero(options_.url.data(), options_.url.size()); }

Task<ConnectionPool::Opened> ConnectionPool::open() {
  Connected made = co_await connect(options_);
  std::string database = database_of(made);
  co_return Opened{std::make_shared<Connection>(std::move(made), options_), std::move(database)};
}

void ConnectionPool::fail(const std::string& why) const { throw Unavailable(why); }

PoolState ConnectionPool::state() const {
  const database::ConnectionPoolState now = snapshot();
  return {.connections = now.connections,
          .in_use = now.in_use,
          .connecting = now.connecting,
          .held = now.exclusive,
          .queries = now.shared,
          .waiting = now.waiting};
}

void ConnectionPool::report_metrics(MetricSink& sink) const {
  const database::ConnectionPoolState now = snapshot();
  const database::PoolReport to(sink, "pg", options_.name);
  report(
      to, "Connections of the pool: with queries or a transaction (in_use), without (idle), being opened (connecting).",
      "Failures of the pool: an attempt to connect failed (connect), a connection ended that the pool had not closed "
      "(connection_lost), a task waited too long (acquire_timeout), too many tasks waited (queue_full).");
  to.gauge("transactions", "Connections that are reserved for transactions.", now.exclusive);
  to.gauge("queries", "Queries in progress, without those of transactions; a batch counts as one.", now.shared);
}

}  // namespace volt::pg::internal
