#include "http/serve/upgraded_connection.h"

#include <algorithm>
#include <cstring>

#include "http/serve/outcome.h"

namespace volt::http::serve {

Task<Result<std::size_t>> UpgradedConnection::read(std::span<std::byte> into) {
  if (!received_.empty()) {
    const std::size_t count = std::min(into.size(), received_.size());
    std::memcpy(into.data(), received_.data(), count);
    received_.erase(0, count);
    co_return count;
  }
  for (;;) {
    if (site_.draining() && !told_of_drain_) {
      told_of_drain_ = true;
      co_return error(std::errc::interrupted);
    }
    const Result<void> ready = co_await stream_.readable();
    const Result<std::size_t> count = stream_.try_read(into);
    if (!would_block(count)) co_return count;
    if (timed_out(ready)) co_return std::unexpected(ready.error());
  }
}

Task<Result<void>> UpgradedConnection::write_all(std::span<const std::byte> from) {
  patience_.begin();
  while (!from.empty()) {
    const Result<std::size_t> count = stream_.try_write(from);
    if (count) {
      from = from.subspan(*count);
      patience_.add_moved(*count);
      continue;
    }
    if (!would_block(count)) co_return std::unexpected(count.error());
    stream_.set_write_deadline_in(patience_.left());
    const Result<void> ready = co_await stream_.writable();
    stream_.set_write_deadline_in(kNoDeadline);
    if (!ready) co_return std::unexpected(ready.error());
  }
  co_return Result<void>{};
}

}  // namespace volt::http::serve
