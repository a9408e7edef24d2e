// SPDX-License-Identifier: MIT

// ClientUpgradedStream: the connection of an HTTP client after its upgrade, as WebSocketConnection uses it.
//
// Threads: as for Stream. Lifetime: the destructor closes the connection.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "http/client/client_stream.h"
#include "http/web/upgrade.h"
#include "runtime/per_worker.h"

namespace volt::http::websocket {

class ClientUpgradedStream final : public UpgradedStream {
 public:
  // `send_timeout`: maximum time of each wait for the peer to accept bytes.
  ClientUpgradedStream(std::unique_ptr<ClientStream> stream, std::chrono::nanoseconds send_timeout) noexcept
      : stream_(std::move(stream)), send_timeout_(send_timeout) {}

  [[nodiscard]] net::ReadyWait readable() noexcept override { return stream_->readable(); }
  [[nodiscard]] net::ReadyWait writable() noexcept override {
    stream_->set_write_deadline_in(write_deadline_ == kNoDeadline
                                       ? send_timeout_
                                       : std::clamp(write_deadline_ - coarse_now(), kNow, send_timeout_));
    return stream_->writable();
  }
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override {
    return stream_->try_read(into);
  }
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override {
    return stream_->try_write(from);
  }
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept override { stream_->set_read_deadline_in(limit); }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept override {
    const std::chrono::nanoseconds now = coarse_now();
    write_deadline_ = limit < kNoDeadline - now ? now + limit : kNoDeadline;
  }
  void expect_more() noexcept override { stream_->expect_more(); }
  void interrupt_read() noexcept override { stream_->interrupt_read(); }
  void shutdown_write() noexcept override { stream_->shutdown_write(); }

  // A client has no server whose memory is short, or that drains.
  [[nodiscard]] Task<Result<void>> await_memory() override { co_return Result<void>{}; }
  [[nodiscard]] bool draining() const noexcept override { return false; }

 private:
  static constexpr std::chrono::nanoseconds kNow{0};

  const std::unique_ptr<ClientStream> stream_;
  const std::chrono::nanoseconds send_timeout_;
  std::chrono::nanoseconds write_deadline_ = kNoDeadline;  // on the clock of coarse_now()
};

}  // namespace volt::http::websocket
