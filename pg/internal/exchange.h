// SPDX-License-Identifier: MIT

// exchange: waits for the outcomes of queries that were sent on a connection.
//
// Cancellation: abandons the queries; their results are discarded on arrival. Errors: QueryTimeout.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pg/internal/connection.h"
#include "pg/internal/reply.h"
#include "runtime/task.h"

namespace volt::pg::internal {

// A reply for a number of outcomes. It holds the lease until all of them have arrived; then `done` receives a value.
struct PendingReply {
  std::shared_ptr<Reply> reply;
  OneshotReceiver<bool> done;
};
[[nodiscard]] PendingReply make_pending_reply(std::size_t outcomes, std::optional<database::Lease> lease);

// Waits for the outcomes of queries that were sent on `connection`.
[[nodiscard]] Task<std::vector<Outcome>> outcomes_of(std::shared_ptr<Connection> connection, PendingReply pending,
                                                     std::chrono::nanoseconds timeout);

// Returns the rows of the outcomes. Throws the first error.
[[nodiscard]] std::vector<Rows> rows_of(std::vector<Outcome> outcomes);

// Throws Error if a query has more parameters than the protocol supports (65,535), or a text that libpq would truncate.
void check_sendable(std::span<const Query> queries);

}  // namespace volt::pg::internal
