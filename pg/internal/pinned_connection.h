// SPDX-License-Identifier: MIT

// PinnedConnection: a connection that is reserved for one transaction.
//
// Threads, lifetime: those of its Transaction.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "database/after_commit.h"
#include "database/lease.h"
#include "pg/internal/copy_stream.h"
#include "pg/internal/exchange.h"
#include "pg/query.h"
#include "runtime/task.h"

namespace volt::pg::internal {

class PinnedConnection {
 public:
  PinnedConnection(database::Lease lease, std::chrono::nanoseconds timeout) noexcept
      : lease_(std::move(lease)), timeout_(timeout) {}
  ~PinnedConnection() { roll_back(); }
  PinnedConnection(const PinnedConnection&) = delete;
  PinnedConnection& operator=(const PinnedConnection&) = delete;

  // Runs queries, which must stay valid until the task was awaited. Throws ConnectionLost if the connection has ended.
  [[nodiscard]] Task<std::vector<Outcome>> run(std::span<const Query> queries);
  // Runs the first query, which begins the transaction. Throws Unavailable if the connection has ended; then nothing
  // was sent.
  [[nodiscard]] Task<std::vector<Outcome>> begin(const Query& begin);
  // Begins a COPY (Connection::begin_copy).
  [[nodiscard]] Task<CopyStream> begin_copy(std::string statement, CopyDirection direction);
  // Commits, and then releases the connection.
  [[nodiscard]] Task<std::vector<Outcome>> commit();
  // Sends a rollback without waiting, unless the connection was released. The connection is returned to the pool when
  // the rollback succeeds, and closed when it fails or cannot be sent.
  void roll_back() noexcept;

  [[nodiscard]] database::AfterCommit& after_commit() noexcept { return after_commit_; }

 private:
  // Throws Error if a COPY is in progress.
  void need_no_copy() const;
  [[nodiscard]] Task<std::vector<Outcome>> exchange(std::span<const Query> queries, PendingReply pending);
  // Sends the query that ends the transaction; its reply takes over the lease. Returns false if the connection has
  // ended. If it throws, the transaction has not ended.
  [[nodiscard]] bool send_last(const Query& query, const std::shared_ptr<Reply>& reply);

  std::optional<database::Lease> lease_;  // empty once the connection was released
  std::chrono::nanoseconds timeout_;
  database::AfterCommit after_commit_;
};

}  // namespace volt::pg::internal
