// SPDX-License-Identifier: MIT

// PinnedConnection: a connection that is reserved for one transaction.
//
// Threads, lifetime: those of its Transaction.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "database/after_commit.h"
#include "runtime/task.h"
#include "sqlite/internal/database.h"
#include "sqlite/query.h"

namespace volt::sqlite::internal {

class PinnedConnection {
 public:
  PinnedConnection(Lease lease, Access access, std::chrono::nanoseconds timeout) noexcept
      : lease_(std::move(lease)), access_(access), timeout_(timeout) {}

  [[nodiscard]] Task<> begin();
  // Runs queries, which must stay valid until the task was awaited. Throws Error if the transaction has ended.
  [[nodiscard]] Task<std::vector<Outcome>> run_all(std::span<const Query> queries);
  [[nodiscard]] Task<> script(std::string_view statements);
  // Commits. The transaction is rolled back if that fails.
  [[nodiscard]] Task<> commit();
  // Rolls back on the calling thread, and gives the connection back. In WAL mode a rollback only discards pages that
  // are in memory, so it is not worth a thread of the blocking pool, for which a destructor could not wait.
  void roll_back() noexcept;

  [[nodiscard]] database::AfterCommit& after_commit() noexcept { return after_commit_; }

 private:
  void need_transaction() const;
  // Calls `work(connection)` on the blocking pool.
  template <class Work>
  [[nodiscard]] Task<std::invoke_result_t<Work&, Connection&>> call(Work work);

  std::optional<Lease> lease_;  // empty once the connection was given back
  const Access access_;
  const std::chrono::nanoseconds timeout_;
  database::AfterCommit after_commit_;
};

}  // namespace volt::sqlite::internal
