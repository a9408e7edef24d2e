// SPDX-License-Identifier: MIT

#include "http/server/internal/upgraded_connection.h"

#include <algorithm>
#include <cstring>

#include "runtime/result.h"
#include "runtime/stream.h"

namespace volt::http::server {

Task<Result<void>> UpgradedConnection::readable() {
  if (!received_.empty()) co_return Result<void>{};
  if (server_state_.draining() && !drain_reported_) {
    drain_reported_ = true;
    co_return error(std::errc::interrupted);
  }
  const Result<void> ready = co_await channel_.readable();
  if (!server_state_.overload.memory.low()) co_return ready;
  auto waiting = server_state_.overload.memory.relief();
  const bool relieved = co_await std::move(waiting);
  if (relieved) co_return ready;
  server_state_.overload.note(OverloadReason::memory, coarse_now());
  co_return error(std::errc::not_enough_memory);
}

Result<std::size_t> UpgradedConnection::try_read(std::span<std::byte> into) noexcept {
  if (received_.empty()) {
    const Result<std::size_t> count = channel_.try_read(into);
    if (count) server_state_.overload.memory.charge(*count, coarse_now());
    return count;
  }
  const std::size_t count = std::min(into.size(), received_.size());
  std::memcpy(into.data(), received_.data(), count);
  received_.erase(0, count);
  if (received_.empty()) std::string().swap(received_);
  return count;
}

Task<Result<void>> UpgradedConnection::write_all(std::span<const std::byte>& left) {
  transfer_timeout_.begin();
  while (!left.empty()) {
    const Result<std::size_t> count = channel_.try_write(left);
    if (count) {
      left = left.subspan(*count);
      transfer_timeout_.add_moved(*count);
      continue;
    }
    if (!would_block(count)) co_return std::unexpected(count.error());
    channel_.set_write_deadline_in(transfer_timeout_.left());
    const Result<void> ready = co_await channel_.writable();
    channel_.set_write_deadline_in(kNoDeadline);
    if (!ready) co_return std::unexpected(ready.error());
  }
  co_return Result<void>{};
}

}  // namespace volt::http::server
