// SPDX-License-Identifier: MIT

#include "http/server/internal/upgraded_connection.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/result.h"
#include "runtime/stream.h"

namespace volt::http::server {

UpgradedConnection::UpgradedConnection(IoChannel& io_channel, ServerState& server_state, std::string received) noexcept
    : channel_(io_channel),
      server_state_(server_state),
      transfer_timeout_(server_state.options),
      received_(std::move(received)) {
  if (!received_.empty()) channel_.expect_more();
}

net::ReadyWait UpgradedConnection::readable() noexcept {
  const bool reports_drain = received_.empty() && !drain_reported_ && server_state_.draining();
  drain_reported_ = drain_reported_ || reports_drain;
  return reports_drain ? channel_.interrupted_readable() : channel_.readable();
}

// The bytes in `received_` are in memory already.
Task<Result<void>> UpgradedConnection::await_memory() {
  if (!received_.empty() || !server_state_.overload.memory.low()) co_return Result<void>{};
  if (co_await server_state_.overload.memory.relief()) co_return Result<void>{};
  server_state_.overload.note(OverloadReason::memory, coarse_now());
  co_return error(std::errc::not_enough_memory);
}

// The bytes in `received_` need no call of the channel, so a readable() between two of these reads returns at once.
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

// A protocol may set a deadline before each of its writes. If a write was cancelled and the peer has accepted nothing
// since, the next write continues the transfer, as in send_composed().
Result<std::size_t> UpgradedConnection::try_write(std::span<const std::byte> from) noexcept {
  const Result<std::size_t> count = channel_.try_write(from);
  const bool first_with_deadline = std::exchange(deadline_set_, false);
  if (!writing_ || (first_with_deadline && count)) transfer_timeout_.begin();
  writing_ = count != from.size();
  if (count) transfer_timeout_.add_moved(*count);
  if (!writing_) transfer_timeout_.pause();
  return count;
}

net::ReadyWait UpgradedConnection::writable() noexcept {
  std::chrono::nanoseconds limit = transfer_timeout_.left();
  if (write_deadline_ != kNoDeadline) {
    limit = std::clamp(write_deadline_ - coarse_now(), std::chrono::nanoseconds(0), limit);
  }
  channel_.set_write_deadline_in(limit);
  return channel_.writable();
}

void UpgradedConnection::set_write_deadline_in(std::chrono::nanoseconds limit) noexcept {
  const std::chrono::nanoseconds now = coarse_now();
  write_deadline_ = limit < kNoDeadline - now ? now + limit : kNoDeadline;
  deadline_set_ = true;
}

}  // namespace volt::http::server
