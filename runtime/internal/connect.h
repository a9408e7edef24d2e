// Connecting stream sockets.
//
// Threads: in tasks. Cancelled, a connect closes what was under way.
#pragma once

#include <vector>

#include "runtime/address.h"
#include "runtime/net/socket.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::net {

// A connected socket. Errors: as of socket(2) and connect(2).
[[nodiscard]] Task<Result<SocketOwner>> connect_stream(Address address);

// The order in which to try them: the families take turns, beginning with the first address' (RFC 8305 section 4);
// within a family the order stays.
[[nodiscard]] std::vector<Address> interleave_families(const std::vector<Address>& addresses);

}  // namespace volt::net
