// SPDX-License-Identifier: MIT

#include "http/server/internal/sending.h"

#include "runtime/result.h"
#include "runtime/stream.h"

namespace volt::http::server {

Task<Result<void>> send_composed(IoChannel& io_channel, RequestContext& request_context,
                                 TransferTimeout& transfer_timeout) {
  transfer_timeout.begin();
  while (!request_context.unsent().empty()) {
    const Result<std::size_t> count = io_channel.try_write(request_context.unsent());
    if (count) {
      request_context.add_sent(*count);
      transfer_timeout.add_moved(*count);
      continue;
    }
    if (!would_block(count)) co_return std::unexpected(count.error());
    io_channel.set_write_deadline_in(transfer_timeout.left());
    const Result<void> ready = co_await io_channel.writable();
    io_channel.set_write_deadline_in(kNoDeadline);
    if (!ready) co_return std::unexpected(ready.error());
  }
  co_return Result<void>{};
}

}  // namespace volt::http::server
