// SPDX-License-Identifier: MIT

// Waits for the answers of a DnsQuery: for its sockets with the reactors of the workers, on both engines, and for its
// time limits with the runtime's timers.
//
// Threads: awaited in a task. Cancellation: ends the query.
#pragma once

#include <memory>

#include "runtime/internal/dns_query.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::net {

[[nodiscard]] Task<Result<FoundAddresses>> finish(std::unique_ptr<DnsQuery> query);

}  // namespace volt::net
