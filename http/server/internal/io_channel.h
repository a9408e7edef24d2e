// SPDX-License-Identifier: MIT

// IoChannel: reads and writes a connection's bytes, through its socket and, if it has one, the transport on it. Knows
// the client's address.
//
// Threads: the connection's task and its children, one in each direction; interrupt_read() any. Lifetime: in the
// Connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "http/server/internal/listener_state.h"
#include "http/transport/transport.h"
#include "runtime/tcp.h"

namespace volt::http::server {

class IoChannel {
 public:
  IoChannel(TcpStream socket, const ListenerState& listener_state)
      : socket_(std::move(socket)), transport_(listener_state.make_transport()) {}

  // Reads the header of the PROXY protocol, which names the client, before the read deadline. False if the peer may not
  // send one, if it is malformed, late, or does not come; and after interrupt_read(). The connection must be closed
  // then.
  [[nodiscard]] Task<bool> read_preamble(const ListenerState& listener_state);
  // Opens the transport, of which there must be one; transport_opened() must follow. False if that failed, or after
  // interrupt_read(): the connection must be closed then.
  [[nodiscard]] Task<bool> open_transport() { return transport_->open(socket_); }
  // A request may have been received with the last bytes of a handshake.
  void transport_opened() noexcept { socket_.expect_more(); }

  // As the members of TcpStream.
  [[nodiscard]] net::ReadyWait readable() noexcept { return socket_.readable(); }
  [[nodiscard]] net::ReadyWait writable() noexcept { return socket_.writable(); }
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept {
    return transport_ ? try_read_secured(into) : socket_.try_read(into);
  }
  // A write that would block is tried again with the same bytes, perhaps followed by more.
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept {
    return transport_ ? try_write_secured(from) : socket_.try_write(from);
  }
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept { socket_.set_read_deadline_in(limit); }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept { socket_.set_write_deadline_in(limit); }
  void interrupt_read() noexcept { socket_.interrupt_read(); }
  [[nodiscard]] net::HangupWatch cancel_on_hangup(net::Hangup when) { return socket_.cancel_on_hangup(when); }
  void cork() noexcept { socket_.cork(); }
  void shutdown_write() noexcept;
  void abort_on_close() noexcept { socket_.abort_on_close(); }

  // True if the kernel can send files on this channel. Only then may the two functions after it be called; they are
  // those of TcpStream.
  [[nodiscard]] bool sends_files() const noexcept { return transport_ == nullptr; }
  [[nodiscard]] Result<std::size_t> try_write_before_file(std::span<const std::byte> from) noexcept {
    return socket_.try_write_before_file(from);
  }
  [[nodiscard]] Result<std::size_t> try_send_file(int fd, std::uint64_t offset, std::size_t size) noexcept {
    return socket_.try_send_file(fd, offset, size);
  }

  // The client's address: as the PROXY header has named it, otherwise the peer's. Empty if it has no address or has
  // closed the connection.
  [[nodiscard]] std::optional<Address> client() const noexcept;
  // Null for plain HTTP.
  [[nodiscard]] const Transport* transport() const noexcept { return transport_.get(); }

 private:
  [[nodiscard]] Result<std::size_t> try_read_secured(std::span<std::byte> into) noexcept;
  [[nodiscard]] Result<std::size_t> try_write_secured(std::span<const std::byte> from) noexcept;

  TcpStream socket_;
  std::unique_ptr<Transport> transport_;
  std::mutex using_transport_;  // unlike a socket, a transport is not safe for a concurrent reader and writer
  std::unique_ptr<const Address> named_client_;  // by the PROXY header
};

}  // namespace volt::http::server
