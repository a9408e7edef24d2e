// SPDX-License-Identifier: MIT

#include "pg/internal/pinned_connection.h"

#include <exception>
#include <utility>

#include "pg/error.h"

namespace volt::pg::internal {

Task<std::vector<Outcome>> PinnedConnection::exchange(std::span<const Query> queries, PendingReply pending) {
  std::shared_ptr<Connection> connection = connection_of(lease_ ? *lease_ : *pending.reply->lease);
  check_sendable(queries);
  if (!connection->send(queries, pending.reply)) throw ConnectionLost("the transaction's connection was lost");
  return outcomes_of(std::move(connection), std::move(pending), timeout_);
}

void PinnedConnection::need_no_copy() const {
  if (connection_of(*lease_)->copying()) throw Error("a COPY of the transaction is in progress: await its end first");
}

Task<std::vector<Outcome>> PinnedConnection::run(std::span<const Query> queries) {
  need_no_copy();
  return exchange(queries, make_pending_reply(queries.size(), std::nullopt));
}

Task<std::vector<Outcome>> PinnedConnection::begin(const Query& begin) {
  PendingReply pending = make_pending_reply(1, std::nullopt);
  pending.reply->may_begin = true;
  std::shared_ptr<Connection> connection = connection_of(*lease_);
  if (!connection->send(std::span(&begin, 1), pending.reply))
    throw Unavailable("the connection closed before the query was sent");
  return outcomes_of(std::move(connection), std::move(pending), timeout_);
}

Task<CopyStream> PinnedConnection::begin_copy(std::string statement, CopyDirection direction) {
  need_no_copy();
  std::shared_ptr<Connection> connection = connection_of(*lease_);
  std::shared_ptr<CopyExchange> copy = co_await connection->begin_copy(std::move(statement), direction);
  co_return CopyStream(std::move(connection), std::move(copy));
}

Task<std::vector<Outcome>> PinnedConnection::commit() {
  if (connection_of(*lease_)->abandon_any_copy()) {
    roll_back();
    throw Error("a COPY of the transaction was in progress at its commit: it was rolled back");
  }
  const Query commit("commit");
  PendingReply pending = make_pending_reply(1, std::exchange(lease_, std::nullopt));
  co_return co_await exchange(std::span(&commit, 1), std::move(pending));
}

void PinnedConnection::roll_back() {
  if (!lease_) return;
  const std::shared_ptr<Connection> connection = connection_of(*lease_);
  connection
      ->abandon_any_copy();  // then the end of the connection rolls back, and the reply holds the lease until then
  const Query rollback("rollback");
  PendingReply pending = make_pending_reply(1, std::exchange(lease_, std::nullopt));
  pending.reply->must_succeed = true;
  if (connection->send(std::span(&rollback, 1), pending.reply)) connection->abandon(*pending.reply);
}

}  // namespace volt::pg::internal
