// SPDX-License-Identifier: MIT

#include "sqlite/pool.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sqlite/error.h"
#include "sqlite/internal/database.h"
#include "sqlite/internal/pinned_connection.h"
#include "sqlite/internal/query_span.h"

namespace volt::sqlite {
namespace {

using internal::Access;
using internal::Connection;
using internal::Database;
using internal::Lease;
using internal::Outcome;
using internal::Role;

// Returns whether the statement seems to read only; the connection finds out when it prepares it.
bool seems_to_read(std::string_view text) {
  constexpr std::array<std::string_view, 4> kReading = {"select", "with", "values", "explain"};
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  std::string word(text.begin(), std::ranges::find_if_not(text, is_letter));
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::ranges::find(kReading, word) != kReading.end();
}

bool seem_to_read(std::span<const Query> queries) {
  return std::ranges::all_of(queries, [](const Query& query) { return seems_to_read(query.text); });
}

// Counts the failures of the pool among the errors.
void count_failures(Database& database, const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    if (outcome.error != nullptr) database.statistics().count(outcome.error);
  }
}

// Runs queries on a connection that may write, or may not. Without a value: one of them writes and may not.
Task<std::optional<std::vector<Outcome>>> run_on(std::shared_ptr<Database> database, std::span<const Query> queries,
                                                 Access access) {
  const Role role = access == Access::read ? Role::reader : Role::writer;
  const Lease lease = co_await database->acquire(role, false);
  auto work = [queries, access](Connection& connection) { return connection.run_all(queries, access); };
  std::exception_ptr error;
  try {
    std::vector<Outcome> outcomes = co_await lease.call(std::move(work), database->options().query_timeout);
    count_failures(*database, outcomes);
    co_return std::move(outcomes);
  } catch (const internal::NeedsWriter&) {
    co_return std::nullopt;
  } catch (const Error&) {  // decided: counted, and thrown on; the connection could not be opened
    error = std::current_exception();
  }
  database->statistics().count(error);
  std::rethrow_exception(error);
}

Task<std::vector<Rows>> run_shared(std::shared_ptr<Database> database, std::span<const Query> queries) {
  if (queries.empty()) co_return std::vector<Rows>{};
  internal::QuerySpan span(queries.front().text, queries.size());  // with the wait for a connection
  std::optional<std::vector<Outcome>> outcomes;
  if (seem_to_read(queries)) outcomes = co_await run_on(database, queries, Access::read);
  if (!outcomes) outcomes = co_await run_on(database, queries, Access::write);
  span.set_outcomes(*outcomes);
  co_return internal::rows_of(*std::move(outcomes));
}

}  // namespace

Pool::Pool(PoolOptions options) : database_(std::make_shared<Database>(std::move(options))) {}

PoolState Pool::state() const { return database_->state(); }

void Pool::report_metrics(MetricSink& sink) const {
  database_->statistics().report(sink, database_->options(), database_->state());
}

Task<Rows> Pool::run(Query query) const {
  const std::shared_ptr<Database> database = database_;
  std::vector<Rows> rows = co_await run_shared(database, std::span(&query, 1));
  co_return std::move(rows.front());
}

Task<std::vector<Rows>> Pool::run_all(Batch batch) const {
  const std::shared_ptr<Database> database = database_;
  co_return co_await run_shared(database, batch.queries());
}

Task<> Pool::script(std::string_view statements) const {
  Transaction transaction = co_await this->transaction();
  co_await transaction.script(statements);
  co_await transaction.commit();
}

Task<Transaction> Pool::transaction(TransactionOptions options) const {
  const std::shared_ptr<Database> database = database_;
  const Access access = options.read_only ? Access::read : Access::write;
  internal::QuerySpan span("begin", 1);
  Lease lease = co_await database->acquire(options.read_only ? Role::reader : Role::writer, true);
  const auto timeout = options.query_timeout.value_or(database->options().query_timeout);
  Transaction transaction(std::make_unique<internal::PinnedConnection>(std::move(lease), access, timeout));
  co_await transaction.pinned_->begin();
  co_return std::move(transaction);
}

}  // namespace volt::sqlite
