// Transaction: queries that happen together or not at all, on a connection that is theirs alone.
//
//   pg::Transaction transaction = co_await db.transaction();
//   co_await transaction.execute("update account set balance = balance - $1 where id = $2", amount, from);
//   co_await transaction.execute("update account set balance = balance + $1 where id = $2", amount, to);
//   co_await transaction.commit();
//
// Without commit() it is rolled back when it goes, also by an exception or a cancel: that is sent, not awaited, and
// nobody else gets the connection before it is done. After a query has failed the server refuses all others until then.
//
// Threads: one task at a time. Lifetime: a resource; keeps its pool's connections alive. May go on any worker.
#pragma once

#include <cstdint>
#include <memory>

#include "pg/queries.h"

namespace volt::pg {

namespace internal {
class PinnedConnection;
}

enum class Isolation : std::uint8_t { server_default, read_committed, repeatable_read, serializable };

struct TransactionOptions {
  Isolation isolation = Isolation::server_default;
  bool read_only = false;
};

class Transaction : public Queries<Transaction> {
 public:
  Transaction(Transaction&&) noexcept;
  Transaction& operator=(Transaction&&) noexcept;
  ~Transaction();

  // Throws ServerError, sqlstate 25P02, if the server has rolled it back instead, since a query had failed; and what
  // deferred constraints find. Once: afterwards it takes no more queries.
  Task<> commit();

 private:
  friend class Pool;
  friend class Queries<Transaction>;
  explicit Transaction(std::unique_ptr<internal::PinnedConnection> pinned) noexcept;
  [[nodiscard]] Task<Rows> run(Query query) const;
  [[nodiscard]] Task<std::vector<Rows>> run_all(Batch batch) const;

  std::unique_ptr<internal::PinnedConnection> pinned_;  // null: committed, or moved from
};

}  // namespace volt::pg
