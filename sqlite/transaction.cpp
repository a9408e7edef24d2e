// SPDX-License-Identifier: MIT

#include "sqlite/transaction.h"

#include <span>
#include <utility>

#include "sqlite/error.h"
#include "sqlite/internal/pinned_connection.h"
#include "sqlite/internal/query_span.h"

namespace volt::sqlite {
namespace {

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

Transaction::~Transaction() {
  if (pinned_ != nullptr) pinned_->roll_back();
}

Task<> Transaction::commit() {
  need(pinned_);
  struct RolledBack {
    std::unique_ptr<internal::PinnedConnection> pinned;
    ~RolledBack() { pinned->roll_back(); }  // if commit() has failed
  } ending{std::move(pinned_)};
  internal::QuerySpan span("commit", 1);
  co_await ending.pinned->commit();
  ending.pinned->after_commit().call();
}

Task<> Transaction::script(std::string_view statements) const {
  need(pinned_);
  internal::QuerySpan span(statements, 1);
  co_await pinned_->script(statements);
}

Task<Rows> Transaction::run(Query query) const {
  need(pinned_);
  internal::QuerySpan span(query.text, 1);
  std::vector<internal::Outcome> outcomes = co_await pinned_->run_all(std::span(&query, 1));
  span.set_outcomes(outcomes);
  std::vector<Rows> rows = internal::rows_of(std::move(outcomes));
  co_return std::move(rows.front());
}

Task<std::vector<Rows>> Transaction::run_all(Batch batch) const {
  need(pinned_);
  if (batch.queries().empty()) co_return std::vector<Rows>{};
  internal::QuerySpan span(batch.queries().front().text, batch.queries().size());
  std::vector<internal::Outcome> outcomes = co_await pinned_->run_all(batch.queries());
  span.set_outcomes(outcomes);
  co_return internal::rows_of(std::move(outcomes));
}

}  // namespace volt::sqlite
