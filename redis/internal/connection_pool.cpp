// SPDX-License-Identifier: MIT

#include "redis/internal/connection_pool.h"

#include <utility>

#include "redis/error.h"

namespace volt::redis::internal {
namespace {

// A connection with fewer commands in progress takes one more before another connection is opened: commands that share
// a connection share its writes.
constexpr std::size_t kCrowd = 8;

database::ConnectionPoolOptions limits_of(const PoolOptions& options) {
  return {.connections_max = options.connections_max,
          .leases_max = options.pipeline_max,
          .bytes_max = options.pipeline_bytes_max,
          .busy_leases = kCrowd,
          .waiting_max = options.waiting_max,
          .wait_for_server = true,
          .acquire_timeout = options.acquire_timeout,
          .backoff_min = options.backoff_min,
          .backoff_max = options.backoff_max};
}

constexpr database::Peer kPeer{
    .module = "redis", .label = "server", .lost = "lost the Redis server", .back = "the Redis server is back"};

}  // namespace

ConnectionPool::ConnectionPool(std::shared_ptr<Connector> connector)
    : database::ConnectionPool(limits_of(connector->options()), kPeer, connector->target().name()),
      connector_(std::move(connector)),
      statistics_(std::make_shared<Statistics>()) {}

Task<ConnectionPool::Opened> ConnectionPool::open() {
  std::shared_ptr<Link> link = co_await connector_->connect();
  co_return Opened{std::make_shared<Connection>(std::move(link), options()), connector_->target().name()};
}

bool ConnectionPool::is_final(const std::exception& error) const noexcept {
  return dynamic_cast<const Refused*>(&error) != nullptr;
}

void ConnectionPool::fail(const std::string& why) const { throw Unavailable(why); }

PoolState ConnectionPool::state() const {
  const database::ConnectionPoolState now = snapshot();
  return {.connections = now.connections,
          .in_use = now.in_use,
          .connecting = now.connecting,
          .commands = now.shared,
          .waiting = now.waiting,
          .subscriptions = statistics_->subscriptions.load(base::relaxed)};  // relaxed: a report
}

void ConnectionPool::report_metrics(MetricSink& sink) const {
  constexpr std::string_view kFailuresHelp =
      "Failures of the pool: an attempt to connect failed (connect), a connection ended that the pool had not closed "
      "(connection_lost), a task waited too long (acquire_timeout), too many tasks waited (queue_full), a reply took "
      "too long (command_timeout), the connection of a subscription ended (subscription_lost).";
  const database::PoolReport to(sink, "redis", options().name);
  report(to, "Connections of the pool: with commands (in_use), without (idle), being opened (connecting).",
         kFailuresHelp);
  statistics_->report(to, state(), kFailuresHelp);
}

}  // namespace volt::redis::internal
