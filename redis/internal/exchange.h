// SPDX-License-Identifier: MIT

// exchange: sends commands on a connection of a pool, and waits for their replies.
//
// Cancellation: the replies are dropped when they arrive. Errors: Unavailable, ConnectionLost, CommandTimeout, Error;
// a reply that is an error is returned as it is.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "redis/command.h"
#include "redis/internal/connection_pool.h"
#include "redis/reply.h"
#include "runtime/task.h"

namespace volt::redis::internal {

// Throws Error if the command would change the state of a shared connection, or block it.
void check_shareable(const Command& command);

// Sends `bytes`, which are `commands` commands, in one piece. Returns a reply for each.
[[nodiscard]] Task<std::vector<Reply>> exchange(std::shared_ptr<ConnectionPool> pool, std::string bytes,
                                                std::size_t commands);

// Throws the error of the first reply that is one.
void check_replies(std::span<const Reply> replies);

}  // namespace volt::redis::internal
