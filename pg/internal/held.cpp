#include "pg/internal/held.h"

#include <exception>
#include <utility>

#include "pg/error.h"

namespace volt::pg::internal {

Task<std::vector<Outcome>> Held::exchange(std::span<const Query> queries, Expected expected) {
  std::shared_ptr<Connection> connection = lease_ ? lease_->connection() : expected.reply->lease->connection();
  check_sendable(queries);
  if (!connection->send(queries, expected.reply)) throw ConnectionLost("the transaction's connection was lost");
  return outcomes_of(std::move(connection), std::move(expected), timeout_);
}

Task<std::vector<Outcome>> Held::ask(std::span<const Query> queries) {
  return exchange(queries, expect(queries.size(), std::nullopt));
}

Task<std::vector<Outcome>> Held::begin(const Query& begin) {
  Expected expected = expect(1, std::nullopt);
  expected.reply->may_begin = true;
  std::shared_ptr<Connection> connection = lease_->connection();
  if (!connection->send(std::span(&begin, 1), expected.reply)) throw Unavailable("the connection has just ended");
  return outcomes_of(std::move(connection), std::move(expected), timeout_);
}

Task<std::vector<Outcome>> Held::commit() {
  const Query commit("commit");
  Expected expected = expect(1, std::exchange(lease_, std::nullopt));
  co_return co_await exchange(std::span(&commit, 1), std::move(expected));
}

void Held::roll_back() {
  if (!lease_) return;
  const std::shared_ptr<Connection> connection = lease_->connection();
  const Query rollback("rollback");
  Expected expected = expect(1, std::exchange(lease_, std::nullopt));
  expected.reply->must_succeed = true;
  if (connection->send(std::span(&rollback, 1), expected.reply)) connection->abandon(*expected.reply);
}

}  // namespace volt::pg::internal
