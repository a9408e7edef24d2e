// SPDX-License-Identifier: MIT

#include "http/server/internal/sending.h"

#include "runtime/result.h"
#include "runtime/stream.h"

namespace volt::http::server {
namespace {

// Sends as many of the composed bytes as the kernel accepts without a wait. Returns their number.
Result<std::size_t> send_accepted(IoChannel& io_channel, RequestContext& request_context) {
  std::size_t sent = 0;
  while (!request_context.unsent().empty()) {
    const Result<std::size_t> count = io_channel.try_write(request_context.unsent());
    if (would_block(count)) break;
    if (!count) return count;
    request_context.add_sent(*count);
    sent += *count;
  }
  return sent;
}

}  // namespace

// A call that was cancelled has left its transfer running. If the kernel accepts nothing now, it has accepted nothing
// since then, so the transfer continues: a client that reads nothing gets no further time. If the kernel accepts bytes,
// a transfer begins: the client may have been ready for them long ago.
Task<Result<void>> send_composed(IoChannel& io_channel, RequestContext& request_context,
                                 TransferTimeout& transfer_timeout) {
  Result<std::size_t> moved = send_accepted(io_channel, request_context);
  if (!transfer_timeout.running() || moved.value_or(0) != 0) transfer_timeout.begin();
  while (moved && !request_context.unsent().empty()) {
    transfer_timeout.add_moved(*moved);
    io_channel.set_write_deadline_in(transfer_timeout.left());
    const Result<void> ready = co_await io_channel.writable();
    io_channel.set_write_deadline_in(kNoDeadline);
    if (!ready) co_return std::unexpected(ready.error());
    moved = send_accepted(io_channel, request_context);
  }
  transfer_timeout.pause();
  if (!moved) co_return std::unexpected(moved.error());
  co_return Result<void>{};
}

}  // namespace volt::http::server
