#include "pg/transaction.h"

#include <utility>

#include "pg/error.h"
#include "pg/internal/exchange.h"
#include "pg/internal/held.h"

namespace volt::pg {
namespace {

// The server's own words for what it does to later queries.
std::exception_ptr rolled_back() {
  return error_for({.sqlstate = "25P02", .text = "the transaction was rolled back, since a query of it had failed"});
}

void need(const std::unique_ptr<internal::Held>& held) {
  if (held == nullptr) throw Error("the transaction is over");
}

}  // namespace

Transaction::Transaction(std::unique_ptr<internal::Held> held) noexcept : held_(std::move(held)) {}
Transaction::Transaction(Transaction&&) noexcept = default;
Transaction& Transaction::operator=(Transaction&& other) noexcept {
  std::swap(held_, other.held_);
  return *this;
}

Transaction::~Transaction() {
  if (held_ != nullptr) held_->roll_back();
}

Task<> Transaction::commit() {
  need(held_);
  const std::unique_ptr<internal::Held> held = std::move(held_);
  std::vector<internal::Outcome> outcomes = co_await held->commit();
  const std::vector<Rows> rows = internal::rows_of(std::move(outcomes));
  if (rows.front().command() == "ROLLBACK") std::rethrow_exception(rolled_back());
}

Task<Rows> Transaction::ask(Query query) const {
  need(held_);
  std::vector<internal::Outcome> outcomes = co_await held_->ask(std::span(&query, 1));
  std::vector<Rows> rows = internal::rows_of(std::move(outcomes));
  co_return std::move(rows.front());
}

Task<std::vector<Rows>> Transaction::ask_all(Batch batch) const {
  need(held_);
  if (batch.queries().empty()) co_return std::vector<Rows>{};
  std::vector<internal::Outcome> outcomes = co_await held_->ask(batch.queries());
  co_return internal::rows_of(std::move(outcomes));
}

}  // namespace volt::pg
