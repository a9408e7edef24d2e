// SPDX-License-Identifier: MIT

// Sends the bytes that a RequestContext has composed, from a coroutine that waits until all are sent.
#pragma once

#include "http/server/internal/io_channel.h"
#include "http/server/internal/request_context.h"
#include "http/server/internal/transfer_timeout.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::http::server {

// A call that follows a cancelled one continues its transfer, unless the peer has accepted bytes since. Therefore
// `transfer_timeout` must be paused, or never begun, before any other call; it is paused when all bytes are sent.
// Errors: timed_out for a peer that is too slow; those of send(2).
[[nodiscard]] Task<Result<void>> send_composed(IoChannel& io_channel, RequestContext& request_context,
                                               TransferTimeout& transfer_timeout);

}  // namespace volt::http::server
