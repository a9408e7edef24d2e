#include "http/serve/upgraded_connection.h"

#include <algorithm>
#include <cstring>

#include "http/serve/outcome.h"

namespace volt::http::serve {

Task<Result<void>> UpgradedConnection::readable() {
  if (!received_.empty()) co_return Result<void>{};
  if (site_.draining() && !told_of_drain_) {
    told_of_drain_ = true;
    co_return error(std::errc::interrupted);
  }
  co_return co_await wire_.readable();
}

Result<std::size_t> UpgradedConnection::try_read(std::span<std::byte> into) noexcept {
  if (received_.empty()) return wire_.try_read(into);
  const std::size_t count = std::min(into.size(), received_.size());
  std::memcpy(into.data(), received_.data(), count);
  received_.erase(0, count);
  if (received_.empty()) std::string().swap(received_);
  return count;
}

Task<Result<void>> UpgradedConnection::write_all(std::span<const std::byte>& left) {
  patience_.begin();
  while (!left.empty()) {
    const Result<std::size_t> count = wire_.try_write(left);
    if (count) {
      left = left.subspan(*count);
      patience_.add_moved(*count);
      continue;
    }
    if (!would_block(count)) co_return std::unexpected(count.error());
    wire_.set_write_deadline_in(patience_.left());
    const Result<void> ready = co_await wire_.writable();
    wire_.set_write_deadline_in(kNoDeadline);
    if (!ready) co_return std::unexpected(ready.error());
  }
  co_return Result<void>{};
}

}  // namespace volt::http::serve
