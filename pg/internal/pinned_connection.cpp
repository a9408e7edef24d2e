// SPDX-License-Identifier: MIT

#include "pg/internal/pinned_connection.h"

#include <exception>
#include <new>
#include <utility>

#include "pg/error.h"

namespace volt::pg::internal {

Task<std::vector<Outcome>> PinnedConnection::exchange(std::span<const Query> queries, PendingReply pending) {
  std::shared_ptr<Connection> connection = connection_of(*lease_);
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
  std::shared_ptr<Connection> connection = connection_of(*lease_);
  PendingReply pending = make_pending_reply(1, std::nullopt);
  if (!send_last(Query("commit"), pending.reply)) throw ConnectionLost("the transaction's connection was lost");
  co_return co_await outcomes_of(std::move(connection), std::move(pending), timeout_);
}

void PinnedConnection::roll_back() noexcept {
  if (!lease_) return;
  const std::shared_ptr<Connection> connection = connection_of(*lease_);
  // With a COPY, the end of the connection rolls back, and the reply holds the lease until then.
  connection->abandon_any_copy();
  try {
    const PendingReply pending = make_pending_reply(1, std::nullopt);
    pending.reply->must_succeed = true;
    if (send_last(Query("rollback"), pending.reply)) connection->abandon(*pending.reply);
  } catch (const std::bad_alloc&) {  // decided: the server rolls back when the connection ends
    connection->close();
  }
  lease_.reset();  // after the connection was closed: no other task may use an open transaction
}

bool PinnedConnection::send_last(const Query& query, const std::shared_ptr<Reply>& reply) {
  reply->lease = std::exchange(lease_, std::nullopt);
  const std::shared_ptr<Connection> connection = connection_of(*reply->lease);
  try {
    return connection->send(std::span(&query, 1), reply);
  } catch (const std::bad_alloc&) {  // decided: nothing was sent, so the lease is kept for a rollback; then rethrown
    lease_ = std::exchange(reply->lease, std::nullopt);
    throw;
  }
}

}  // namespace volt::pg::internal
