// SPDX-License-Identifier: MIT

#include "pg/transaction.h"

#include <memory>
#include <span>
#include <string>
#include <utility>

#include "pg/error.h"
#include "pg/internal/copy_stream.h"
#include "pg/internal/exchange.h"
#include "pg/internal/pinned_connection.h"
#include "pg/internal/query_span.h"

namespace volt::pg {
namespace {

// Returns the error with which the server rejects queries of a failed transaction.
std::exception_ptr rolled_back() {
  return error_for({.sqlstate = "25P02", .text = "the transaction was rolled back because one of its queries failed"});
}

void need(const std::unique_ptr<internal::PinnedConnection>& pinned) {
  if (pinned == nullptr) throw Error("the transaction has already ended");
}

}  // namespace

Transaction::Transaction(std::unique_ptr<internal::PinnedConnection> pinned) noexcept : pinned_(std::move(pinned)) {}
Transaction::Transaction(Transaction&&) noexcept = default;
Transaction& Transaction::operator=(Transaction&& other) noexcept {
  std::swap(pinned_, other.pinned_);
  return *this;
}

void Transaction::after_commit(std::move_only_function<void() noexcept> function) const {
  need(pinned_);
  pinned_->after_commit().add(std::move(function));
}

Transaction::~Transaction() = default;  // that of PinnedConnection rolls back

Task<> Transaction::commit() {
  need(pinned_);
  const std::unique_ptr<internal::PinnedConnection> pinned = std::move(pinned_);
  const Query commit("commit");
  internal::QuerySpan span(std::span(&commit, 1));
  std::vector<internal::Outcome> outcomes = co_await pinned->commit();
  span.set_outcomes(outcomes);
  const std::vector<Rows> rows = internal::rows_of(std::move(outcomes));
  if (rows.front().command() == "ROLLBACK") std::rethrow_exception(rolled_back());
  pinned->after_commit().call();
}

Task<std::unique_ptr<internal::CopyStream>> Transaction::begin_copy(std::string_view statement,
                                                                    internal::CopyDirection direction) const {
  need(pinned_);
  const Query query(statement);
  internal::check_sendable(std::span(&query, 1));
  internal::QuerySpan span(std::span(&query, 1));
  std::string text(statement);
  internal::CopyStream stream = co_await pinned_->begin_copy(std::move(text), direction);
  co_return std::make_unique<internal::CopyStream>(std::move(stream));
}

Task<CopyIn> Transaction::copy_in(std::string_view statement) const {
  std::unique_ptr<internal::CopyStream> stream = co_await begin_copy(statement, internal::CopyDirection::in);
  co_return CopyIn(std::move(stream));
}

Task<CopyOut> Transaction::copy_out(std::string_view statement) const {
  std::unique_ptr<internal::CopyStream> stream = co_await begin_copy(statement, internal::CopyDirection::out);
  co_return CopyOut(std::move(stream));
}

Task<Rows> Transaction::run(Query query) const {
  need(pinned_);
  internal::QuerySpan span(std::span(&query, 1));
  std::vector<internal::Outcome> outcomes = co_await pinned_->run(std::span(&query, 1));
  span.set_outcomes(outcomes);
  std::vector<Rows> rows = internal::rows_of(std::move(outcomes));
  co_return std::move(rows.front());
}

Task<std::vector<Rows>> Transaction::run_all(Batch batch) const {
  need(pinned_);
  if (batch.queries().empty()) co_return std::vector<Rows>{};
  internal::QuerySpan span(batch.queries());
  std::vector<internal::Outcome> outcomes = co_await pinned_->run(batch.queries());
  span.set_outcomes(outcomes);
  co_return internal::rows_of(std::move(outcomes));
}

}  // namespace volt::pg
