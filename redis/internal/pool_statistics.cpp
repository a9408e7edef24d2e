// SPDX-License-Identifier: MIT

#include "redis/internal/pool_statistics.h"

#include "redis/pool.h"

namespace volt::redis::internal {

void PoolStatistics::report(MetricSink& sink, const PoolOptions& options, const PoolState& state) const {
  const std::string_view pool = options.name;
  const auto gauge = [&](std::string_view name, std::string_view help, std::size_t value) {
    sink.gauge(name, help, {{"pool", pool}}, static_cast<double>(value));
  };
  const auto connections = [&](std::string_view of, std::size_t count) {
    sink.gauge("volt_redis_connections",
               "Connections of the pool: with commands (in_use), without (idle), being opened (connecting).",
               {{"pool", pool}, {"state", of}}, static_cast<double>(count));
  };
  connections("in_use", state.in_use);
  connections("idle", state.connections - state.in_use);
  connections("connecting", state.connecting);
  gauge("volt_redis_connections_max", "Maximum number of connections of the pool.", options.connections_max);
  gauge("volt_redis_commands", "Commands in progress; a batch counts as one.", state.commands);
  gauge("volt_redis_waiting_tasks", "Tasks that wait for a connection.", state.waiting);
  gauge("volt_redis_subscriptions", "Subscriptions, each of which has a connection of its own.", state.subscriptions);
  waits_.report(sink, "volt_redis_wait_seconds",
                "Time from a task's request for a connection until it got one or gave up, in seconds.",
                {{"pool", pool}});
  commands_.report(sink, "volt_redis_command_seconds",
                   "Time from sending a command or a batch to its last reply, in seconds.", {{"pool", pool}});
  for (std::size_t i = 0; i != errors_.size(); ++i) {
    sink.counter("volt_redis_errors_total",
                 "Failures of the pool: an attempt to connect failed (connect), a connection ended that the pool had "
                 "not closed (connection_lost), a task waited too long (acquire_timeout), too many tasks waited "
                 "(queue_full), a reply took too long (command_timeout), the connection of a subscription ended "
                 "(subscription_lost).",
                 {{"pool", pool}, {"reason", kPoolErrors[i]}}, errors_[i].load(base::relaxed));  // relaxed: a report
  }
}

}  // namespace volt::redis::internal
