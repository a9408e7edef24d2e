// Sends what an request_context has composed, from a coroutine that has nothing else to do meanwhile.
#pragma once

#include "http/server/internal/io_channel.h"
#include "http/server/internal/request_context.h"
#include "http/server/internal/transfer_timeout.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::http::server {

// Errors: timed_out for a peer that is too slow; as of send(2).
[[nodiscard]] Task<Result<void>> send_composed(IoChannel& io_channel, RequestContext& request_context,
                                               TransferTimeout& transfer_timeout);

}  // namespace volt::http::server
