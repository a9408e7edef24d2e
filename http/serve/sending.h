// Sends what an exchange has composed, from a coroutine that has nothing else to do meanwhile.
#pragma once

#include "http/serve/exchange.h"
#include "http/serve/patience.h"
#include "http/serve/wire.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::http::serve {

// Errors: timed_out for a peer that is too slow; as of send(2).
[[nodiscard]] Task<Result<void>> send_composed(Wire& wire, Exchange& exchange, Patience& patience);

}  // namespace volt::http::serve
