// SPDX-License-Identifier: MIT

// ConnectionPool: the connections of a pool. While connecting fails, commands wait until it succeeds, for at most
// PoolOptions::acquire_timeout, unless the server refuses the login.
//
// Threads: any. Lifetime: shared by the pool, its leases and the tasks of its connections.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "database/connection_pool.h"
#include "redis/internal/connection.h"
#include "redis/internal/connector.h"
#include "redis/internal/statistics.h"
#include "redis/pool.h"
#include "runtime/task.h"

namespace volt {
class MetricSink;
}

namespace volt::redis::internal {

class ConnectionPool final : public database::ConnectionPool {
 public:
  explicit ConnectionPool(std::shared_ptr<Connector> connector);

  [[nodiscard]] PoolState state() const;
  [[nodiscard]] const PoolOptions& options() const noexcept { return connector_->options(); }
  [[nodiscard]] const std::shared_ptr<Connector>& connector() const noexcept { return connector_; }
  [[nodiscard]] const std::shared_ptr<Statistics>& statistics() noexcept { return statistics_; }
  void report_metrics(MetricSink& sink) const;

 private:
  [[nodiscard]] Task<Opened> open() override;
  [[nodiscard]] bool is_final(const std::exception& error) const noexcept override;
  [[noreturn]] void fail(const std::string& why) const override;

  const std::shared_ptr<Connector> connector_;
  const std::shared_ptr<Statistics> statistics_;
};

}  // namespace volt::redis::internal
