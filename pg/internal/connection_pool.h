// SPDX-License-Identifier: MIT

// ConnectionPool: the connections of a pool. While connecting fails and no connection is left, queries fail at once.
//
// Threads: any. Lifetime: shared by the pool, its leases and the tasks of its connections.
#pragma once

#include <exception>
#include <string>

#include "database/connection_pool.h"
#include "pg/internal/connection.h"
#include "pg/options.h"
#include "pg/pool.h"
#include "runtime/task.h"

namespace volt {
class MetricSink;
}

namespace volt::pg::internal {

class ConnectionPool final : public database::ConnectionPool {
 public:
  explicit ConnectionPool(PoolOptions options);
  // Overwrites the connection string, which contains the password.
  ~ConnectionPool() override;

  [[nodiscard]] PoolState state() const;
  [[nodiscard]] const PoolOptions& options() const noexcept { return options_; }
  void report_metrics(MetricSink& sink) const;

 private:
  [[nodiscard]] Task<Opened> open() override;
  [[nodiscard]] bool is_final(const std::exception&) const noexcept override { return false; }
  [[noreturn]] void fail(const std::string& why) const override;

  PoolOptions options_;  // constant until the destructor
};

}  // namespace volt::pg::internal
