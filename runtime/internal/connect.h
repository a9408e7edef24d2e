// SPDX-License-Identifier: MIT

// Connects stream sockets.
//
// Threads: called in tasks. Cancellation: a cancelled connect closes the unfinished connection.
#pragma once

#include <vector>

#include "runtime/address.h"
#include "runtime/net/socket.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::net {

// Returns a socket that is connected to `address`. Errors: those of socket(2) and connect(2).
[[nodiscard]] Task<Result<SocketOwner>> connect_stream(Address address);

// Returns the addresses in the order in which to try them: the families alternate, beginning with that of the first
// address (RFC 8305 section 4); within a family the order stays.
[[nodiscard]] std::vector<Address> interleave_families(const std::vector<Address>& addresses);

}  // namespace volt::net
