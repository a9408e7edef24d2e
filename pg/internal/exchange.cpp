// SPDX-License-Identifier: MIT

#include "pg/internal/exchange.h"

#include <limits>
#include <utility>

#include "pg/error.h"
#include "runtime/select.h"
#include "runtime/time.h"

namespace volt::pg::internal {
namespace {

// Abandons a reply on destruction, unless the wait for its outcomes has completed.
class Abandonment {
 public:
  Abandonment(Connection& connection, Reply& reply) noexcept : connection_(connection), reply_(reply) {}
  Abandonment(const Abandonment&) = delete;
  Abandonment& operator=(const Abandonment&) = delete;
  ~Abandonment() {
    if (!completed) connection_.abandon(reply_);
  }
  bool completed = false;

 private:
  Connection& connection_;
  Reply& reply_;
};

}  // namespace

PendingReply make_pending_reply(std::size_t outcomes, std::optional<database::Lease> lease) {
  auto [sender, receiver] = oneshot<bool>();
  auto reply = std::make_shared<Reply>();
  reply->outcomes.resize(outcomes);
  reply->missing = outcomes;
  reply->done = std::move(sender);
  reply->lease = std::move(lease);
  return {std::move(reply), std::move(receiver)};
}

Task<std::vector<Outcome>> outcomes_of(std::shared_ptr<Connection> connection, PendingReply pending,
                                       std::chrono::nanoseconds timeout) {
  Abandonment abandonment(*connection, *pending.reply);
  auto chosen = co_await select(pending.done.receive(), sleep_for(timeout));
  if (chosen.index() == 1) throw QueryTimeout("the query timed out");
  abandonment.completed = true;
  co_return std::move(pending.reply->outcomes);
}

std::vector<Rows> rows_of(std::vector<Outcome> outcomes) {
  std::vector<Rows> rows;
  rows.reserve(outcomes.size());
  for (Outcome& outcome : outcomes) {
    if (outcome.error) std::rethrow_exception(outcome.error);
    rows.push_back(std::move(outcome.rows));
  }
  return rows;
}

void check_sendable(std::span<const Query> queries) {
  for (const Query& query : queries) {
    if (query.parameters.all().size() > std::numeric_limits<std::uint16_t>::max()) {
      throw Error("a query has more than 65535 parameters");
    }
    if (query.text.contains('\0')) throw Error("the text of a query contains a zero byte");
  }
}

}  // namespace volt::pg::internal
