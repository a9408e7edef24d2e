#include "http/server/internal/sending.h"

#include "runtime/result.h"
#include "runtime/stream.h"

namespace volt::http::server {

Task<Result<void>> send_composed(Wire& wire, Exchange& exchange, Patience& patience) {
  patience.begin();
  while (!exchange.unsent().empty()) {
    const Result<std::size_t> count = wire.try_write(exchange.unsent());
    if (count) {
      exchange.add_sent(*count);
      patience.add_moved(*count);
      continue;
    }
    if (!would_block(count)) co_return std::unexpected(count.error());
    wire.set_write_deadline_in(patience.left());
    const Result<void> ready = co_await wire.writable();
    wire.set_write_deadline_in(kNoDeadline);
    if (!ready) co_return std::unexpected(ready.error());
  }
  co_return Result<void>{};
}

}  // namespace volt::http::server
