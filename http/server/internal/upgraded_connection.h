// SPDX-License-Identifier: MIT

// UpgradedConnection: reads and writes a connection's bytes for the protocol that it has switched to.
//
// Threads: the connection's task and its children, one in each direction. Lifetime: until that
// protocol ends.
#pragma once

#include <string>

#include "http/server/internal/io_channel.h"
#include "http/server/internal/transfer_timeout.h"
#include "http/server/server_state.h"
#include "http/web/upgrade.h"

namespace volt::http::server {

class UpgradedConnection final : public UpgradedStream {
 public:
  // `received`: the bytes that were received after the request.
  UpgradedConnection(IoChannel& io_channel, ServerState& server_state, std::string received) noexcept
      : channel_(io_channel),
        server_state_(server_state),
        transfer_timeout_(server_state.options),
        received_(std::move(received)) {}

  [[nodiscard]] Task<Result<void>> readable() override;
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override;
  [[nodiscard]] Task<Result<void>> write_all(std::span<const std::byte>& left) override;
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept override { channel_.set_read_deadline_in(limit); }
  void interrupt_read() noexcept override { channel_.interrupt_read(); }
  [[nodiscard]] bool draining() const noexcept override { return server_state_.draining(); }

 private:
  IoChannel& channel_;
  ServerState& server_state_;
  TransferTimeout transfer_timeout_;
  std::string received_;
  bool drain_reported_ = false;
};

}  // namespace volt::http::server
