// SPDX-License-Identifier: MIT

// Transaction: queries that take effect together or not at all, on a connection reserved for them.
//
//   pg::Transaction transaction = co_await db.transaction();
//   co_await transaction.execute("update account set balance = balance - $1 where id = $2", amount, from);
//   co_await transaction.execute("update account set balance = balance + $1 where id = $2", amount, to);
//   co_await transaction.commit();
//
// Without commit() the transaction is rolled back on destruction, also by an exception or by cancellation. The
// destructor sends the rollback without waiting for it. The connection is reused only after the rollback. After a query
// has failed, the server rejects all further queries of the transaction.
//
// Threads: one task at a time. Lifetime: a resource; keeps the connections of its pool alive. May be destroyed on any
// worker.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "pg/copy.h"
#include "pg/queries.h"

namespace volt::pg {

namespace internal {
class PinnedConnection;
enum class CopyDirection : bool;
}  // namespace internal

enum class Isolation : std::uint8_t { server_default, read_committed, repeatable_read, serializable };

struct TransactionOptions {
  Isolation isolation = Isolation::server_default;
  bool read_only = false;
  std::optional<std::chrono::milliseconds> query_timeout = {};  // of each query; default: PoolOptions::query_timeout
};

class Transaction : public Queries<Transaction> {
 public:
  Transaction(Transaction&&) noexcept;
  Transaction& operator=(Transaction&&) noexcept;
  ~Transaction();

  // Begins a stream of rows into a table, or out of one (pg/copy.h). The statement is `copy .. from stdin`, or `to
  // stdout`. Throws Error for another one; ServerError.
  [[nodiscard]] Task<CopyIn> copy_in(std::string_view statement) const;
  [[nodiscard]] Task<CopyOut> copy_out(std::string_view statement) const;

  // Commits the transaction. Must be called at most once, after all queries. Throws the errors of deferred constraints,
  // and ServerError with sqlstate 25P02 if the server rolled the transaction back, because a query had failed.
  Task<> commit();

  // Registers a function that commit() calls when the transaction has been committed, for example to announce the
  // change. It must not block. It is not called if the transaction is rolled back, nor if commit() throws. The
  // functions are called in the order in which they were registered.
  void after_commit(std::move_only_function<void() noexcept> function) const;

 private:
  friend class Pool;
  friend pg::Queries<Transaction>;
  explicit Transaction(std::unique_ptr<internal::PinnedConnection> pinned) noexcept;
  [[nodiscard]] Task<Rows> run(Query query) const;
  [[nodiscard]] Task<std::vector<Rows>> run_all(Batch batch) const;
  [[nodiscard]] Task<std::unique_ptr<internal::CopyStream>> begin_copy(std::string_view statement,
                                                                       internal::CopyDirection direction) const;

  std::unique_ptr<internal::PinnedConnection> pinned_;  // null once committed or moved from
};

}  // namespace volt::pg
