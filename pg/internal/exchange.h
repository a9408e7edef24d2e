// exchange: queries to a connection, and the wait for their answers.
//
// Cancellation: the queries are given up, and their answers dropped when they come. Errors: QueryTimeout.
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

// A reply for so many outcomes that holds the lease until they are there. Its receiver is told then.
struct PendingReply {
  std::shared_ptr<Reply> reply;
  OneshotReceiver<bool> done;
};
[[nodiscard]] PendingReply make_pending_reply(std::size_t outcomes, std::optional<Lease> lease);

// Waits for a reply to what was sent on that connection.
[[nodiscard]] Task<std::vector<Outcome>> outcomes_of(std::shared_ptr<Connection> connection, PendingReply pending,
                                                     std::chrono::nanoseconds timeout);

// Their rows. Throws the first error.
[[nodiscard]] std::vector<Rows> rows_of(std::vector<Outcome> outcomes);

// Throws Error if a query has more parameters than the protocol can tell (65,535), or a text that libpq would cut.
void check_sendable(std::span<const Query> queries);

}  // namespace volt::pg::internal
