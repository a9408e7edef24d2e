#include "pg/pool.h"

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "pg/error.h"
#include "pg/internal/exchange.h"
#include "pg/internal/held.h"
#include "pg/internal/slots.h"

namespace volt::pg {
namespace {

using internal::Expected;
using internal::Lease;
using internal::Outcome;
using internal::Share;
using internal::Slots;

// Shared by the pool's handles, and not by what its connections hold.
class Open {
 public:
  explicit Open(PoolOptions options) : slots_(std::make_shared<Slots>(std::move(options))) {}
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  ~Open() { slots_->close(); }

  [[nodiscard]] Slots* slots() const noexcept { return slots_.get(); }

 private:
  std::shared_ptr<Slots> slots_;
};

Task<Lease> acquire(std::shared_ptr<Slots> slots, Share share) {
  std::optional<Lease> lease = slots->try_acquire(share);
  if (lease) co_return *std::move(lease);
  co_return co_await slots->acquire(share);
}

Task<std::vector<Rows>> ask_shared(std::shared_ptr<Slots> slots, std::span<const Query> queries) {
  internal::check_sendable(queries);
  if (queries.empty()) co_return std::vector<Rows>{};
  Lease lease = co_await acquire(slots, Share::shared);
  std::shared_ptr<internal::Connection> connection = lease.connection();
  Expected expected = internal::expect(queries.size(), std::move(lease));
  if (!connection->send(queries, expected.reply)) throw Unavailable("the connection has just ended");
  auto waiting = internal::outcomes_of(std::move(connection), std::move(expected), slots->options().query_timeout);
  std::vector<Outcome> outcomes = co_await std::move(waiting);
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
    throw std::invalid_argument("a pool has at least one connection, and each carries at least one query");
  }
  const auto open = std::make_shared<Open>(std::move(options));
  slots_ = std::shared_ptr<Slots>(open, open->slots());
}

PoolState Pool::state() const { return slots_->state(); }

Task<Rows> Pool::ask(Query query) const {
  const std::shared_ptr<Slots> slots = slots_;
  std::vector<Rows> rows = co_await ask_shared(slots, std::span(&query, 1));
  co_return std::move(rows.front());
}

Task<std::vector<Rows>> Pool::ask_all(Batch batch) const {
  const std::shared_ptr<Slots> slots = slots_;
  co_return co_await ask_shared(slots, batch.queries());
}

Task<Transaction> Pool::transaction(TransactionOptions options) const {
  const std::shared_ptr<Slots> slots = slots_;
  const std::string text = begin_text(options);
  const Query begin(text);
  Lease lease = co_await acquire(slots, Share::alone);
  Transaction transaction(std::make_unique<internal::Held>(std::move(lease), slots->options().query_timeout));
  std::vector<Outcome> outcomes = co_await transaction.held_->begin(begin);
  static_cast<void>(internal::rows_of(std::move(outcomes)));
  co_return std::move(transaction);
}

}  // namespace volt::pg
