// SPDX-License-Identifier: MIT

// Transaction: queries that take effect together or not at all, on a connection reserved for them.
//
//   sqlite::Transaction transaction = co_await db.transaction();
//   co_await transaction.execute("update account set balance = balance - $1 where id = $2", amount, from);
//   co_await transaction.execute("update account set balance = balance + $1 where id = $2", amount, to);
//   co_await transaction.commit();
//
// Without commit() the transaction is rolled back by its destructor, also after an exception or a cancellation. A
// transaction locks the database for writing when it begins (BEGIN IMMEDIATE), so it does not fail later because
// another one has written; others wait until it ends: keep it short, and await nothing in it but its queries. One that
// is `read_only` locks nothing and sees the database as it was at its first query.
//
// Unlike in PostgreSQL, a query that fails is undone alone, and the transaction continues. But an interrupted change
// (timeout, cancellation) and an error of the disk end the transaction: further queries and commit() throw Error.
//
// Threads: one task at a time. Lifetime: a resource; keeps the connections of its pool alive. May be destroyed on any
// thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sqlite/queries.h"

namespace volt::sqlite {

namespace internal {
class PinnedConnection;
}

struct TransactionOptions {
  bool read_only = false;
  std::optional<std::chrono::milliseconds> query_timeout = {};  // of each query; default: PoolOptions::query_timeout
};

class Transaction : public Queries<Transaction> {
 public:
  Transaction(Transaction&&) noexcept;
  Transaction& operator=(Transaction&&) noexcept;
  ~Transaction();

  // Commits the transaction. Must be called at most once, after all queries. Throws the errors of deferred foreign
  // keys; the transaction is then rolled back.
  Task<> commit();

  // Registers a function that commit() calls when the transaction has been committed, for example to announce the
  // change. It must not block. It is not called if the transaction is rolled back, nor if commit() throws. The
  // functions are called in the order in which they were registered.
  void after_commit(std::move_only_function<void() noexcept> function) const;

  // Executes several statements, separated by semicolons, without parameters; their rows are discarded.
  Task<> script(std::string_view statements) const;

 private:
  friend class Pool;
  friend sqlite::Queries<Transaction>;
  explicit Transaction(std::unique_ptr<internal::PinnedConnection> pinned) noexcept;
  [[nodiscard]] Task<Rows> run(Query query) const;
  [[nodiscard]] Task<std::vector<Rows>> run_all(Batch batch) const;

  std::unique_ptr<internal::PinnedConnection> pinned_;  // null once committed or moved from
};

}  // namespace volt::sqlite
