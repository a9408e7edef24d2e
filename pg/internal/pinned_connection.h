// PinnedConnection: the connection that a transaction has for itself.
//
// Threads, lifetime: those of its Transaction.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "pg/internal/exchange.h"
#include "pg/internal/lease.h"
#include "pg/query.h"
#include "runtime/task.h"

namespace volt::pg::internal {

class PinnedConnection {
 public:
  PinnedConnection(Lease lease, std::chrono::nanoseconds timeout) noexcept
      : lease_(std::move(lease)), timeout_(timeout) {}

  // `queries` stay until it was awaited. Throws ConnectionLost if the connection has ended.
  [[nodiscard]] Task<std::vector<Outcome>> run(std::span<const Query> queries);
  // The first. Throws Unavailable in that case: nothing was sent.
  [[nodiscard]] Task<std::vector<Outcome>> begin(const Query& begin);
  // Gives up the connection when it is done with that.
  [[nodiscard]] Task<std::vector<Outcome>> commit();
  // Sends it only: the connection is given back, or closed, when it is answered.
  void roll_back();

 private:
  [[nodiscard]] Task<std::vector<Outcome>> exchange(std::span<const Query> queries, PendingReply pending);

  std::optional<Lease> lease_;  // none: given up
  std::chrono::nanoseconds timeout_;
};

}  // namespace volt::pg::internal
