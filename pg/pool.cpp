// SPDX-License-Identifier: MIT

#include "pg/pool.h"

#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "database/lease.h"
#include "pg/error.h"
#include "pg/internal/connection_pool.h"
#include "pg/internal/exchange.h"
#include "pg/internal/pinned_connection.h"
#include "pg/internal/query_span.h"

namespace volt::pg {
namespace {

using database::Demand;
using database::Lease;
using internal::ConnectionPool;
using internal::Outcome;
using internal::PendingReply;

Task<std::vector<Rows>> run_shared(std::shared_ptr<ConnectionPool> pool, std::span<const Query> queries) {
  internal::check_sendable(queries);
  if (queries.empty()) co_return std::vector<Rows>{};
  internal::QuerySpan span(queries);  // with the wait for a connection
  Lease lease = co_await pool->acquire({});
  std::shared_ptr<internal::Connection> connection = internal::connection_of(lease);
  PendingReply pending = internal::make_pending_reply(queries.size(), std::move(lease));
  if (!connection->send(queries, pending.reply)) throw Unavailable("the connection closed before the query was sent");
  std::vector<Outcome> outcomes =
      co_await internal::outcomes_of(std::move(connection), std::move(pending), pool->options().query_timeout);
  span.set_outcomes(outcomes);
  co_return internal::rows_of(std::move(outcomes));
}

std::string begin_text(const TransactionOptions& options) {
  std::string text = "begin";
  switch (options.isolation) {
    case Isolation::server_default:
      break;
    case Isolation::read_committed:
      text += " isolation level read committed";
      break;
    case Isolation::repeatable_read:
      text += " isolation level repeatable read";
      break;
    case Isolation::serializable:
      text += " isolation level serializable";
      break;
  }
  if (options.read_only) text += " read only";
  return text;
}

}  // namespace

Pool::Pool(PoolOptions options) {
  if (options.connections_max == 0 || options.pipeline_max == 0) {
    throw std::invalid_argument("connections_max and pipeline_max must be at least 1");
  }
  pool_ = database::closing_handle(std::make_shared<ConnectionPool>(std::move(options)));
}

PoolState Pool::state() const { return pool_->state(); }

void Pool::report_metrics(MetricSink& sink) const { pool_->report_metrics(sink); }

Task<Rows> Pool::run(Query query) const {
  const std::shared_ptr<ConnectionPool> pool = pool_;
  std::vector<Rows> rows = co_await run_shared(pool, std::span(&query, 1));
  co_return std::move(rows.front());
}

Task<std::vector<Rows>> Pool::run_all(Batch batch) const {
  const std::shared_ptr<ConnectionPool> pool = pool_;
  co_return co_await run_shared(pool, batch.queries());
}

Task<Transaction> Pool::transaction(TransactionOptions options) const {
  const std::shared_ptr<ConnectionPool> pool = pool_;
  const std::string text = begin_text(options);
  const Query begin(text);
  internal::QuerySpan span(std::span(&begin, 1));
  const Demand demand{.exclusive = true};
  Lease lease = co_await pool->acquire(demand);
  const auto timeout = options.query_timeout.value_or(pool->options().query_timeout);
  Transaction transaction(std::make_unique<internal::PinnedConnection>(std::move(lease), timeout));
  std::vector<Outcome> outcomes = co_await transaction.pinned_->begin(begin);
  span.set_outcomes(outcomes);
  static_cast<void>(internal::rows_of(std::move(outcomes)));
  co_return std::move(transaction);
}

}  // namespace volt::pg
