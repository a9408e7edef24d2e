// Sends what an exchange has composed, from a coroutine that has nothing else to do meanwhile.
#pragma once

#include "http/server/internal/exchange.h"
#include "http/server/internal/patience.h"
#include "http/server/internal/wire.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::http::server {

// Errors: timed_out for a peer that is too slow; as of send(2).
[[nodiscard]] Task<Result<void>> send_composed(Wire& wire, Exchange& exchange, Patience& patience);

}  // namespace volt::http::server
