// SPDX-License-Identifier: MIT

// UpgradedConnection: reads and writes a connection's bytes for the protocol that it has switched to.
//
// Threads: the connection's task and its children, one in each direction. Lifetime: until that
// protocol ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

#include "http/server/internal/io_channel.h"
#include "http/server/internal/transfer_timeout.h"
#include "http/server/server_state.h"
#include "http/web/upgrade.h"

namespace volt::http::server {

class UpgradedConnection final : public UpgradedStream {
 public:
  // `received`: the bytes that were received after the request.
  UpgradedConnection(IoChannel& io_channel, ServerState& server_state, std::string received) noexcept;

  [[nodiscard]] net::ReadyWait readable() noexcept override;
  [[nodiscard]] net::ReadyWait writable() noexcept override;
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override;
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override;
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept override { channel_.set_read_deadline_in(limit); }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept override;
  void expect_more() noexcept override { channel_.expect_more(); }
  void interrupt_read() noexcept override { channel_.interrupt_read(); }
  void shutdown_write() noexcept override { channel_.shutdown_write(); }
  [[nodiscard]] Task<Result<void>> await_memory() override;
  [[nodiscard]] bool draining() const noexcept override { return server_state_.draining(); }

 private:
  IoChannel& channel_;
  ServerState& server_state_;
  TransferTimeout transfer_timeout_;
  std::chrono::nanoseconds write_deadline_ = kNoDeadline;  // on the clock of coarse_now()
  std::string received_;
  bool writing_ = false;       // a transfer has begun, and not all of its bytes were accepted
  bool deadline_set_ = false;  // set_write_deadline_in() was called after the last write
  bool drain_reported_ = false;
};

}  // namespace volt::http::server
