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
#include <optional>
#include <span>

#include "http/server/internal/listener_state.h"
#include "http/transport/transport.h"
#include "runtime/stream.h"
#include "runtime/tcp.h"

namespace volt::http::server {

class IoChannel final : public Stream {
 public:
  IoChannel(TcpStream socket, const ListenerState& listener_state)
      : socket_(std::move(socket)), transport_(listener_state.make_transport(socket_)) {}

  // Reads the header of the PROXY protocol, which names the client, before the read deadline. Returns false if the peer
  // may not send the header, if the header is missing, late or malformed, and after interrupt_read(): the connection
  // must then be closed.
  [[nodiscard]] Task<bool> read_preamble(const ListenerState& listener_state);
  // Opens the transport; there must be one. If opening fails, also because of interrupt_read(), the connection must be
  // closed.
  [[nodiscard]] Task<Result<void>> open_transport() { return transport_->open(); }

  // The waits are those of the socket, whether there is a transport or not.
  [[nodiscard]] net::ReadyWait readable() noexcept override { return socket_.readable(); }
  [[nodiscard]] net::ReadyWait writable() noexcept override { return socket_.writable(); }
  // Returns a wait for readable() that fails at once with interrupted.
  [[nodiscard]] net::ReadyWait interrupted_readable() noexcept { return socket_.interrupted_readable(); }
  // A branch instead of one virtual call for both: calls of the socket can be inlined.
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override {
    return transport_ ? transport_->try_read_alone(into) : socket_.try_read(into);
  }
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override {
    return transport_ ? transport_->try_write_alone(from) : socket_.try_write(from);
  }
  // As try_read(), for bytes that are discarded: a transport does not decode them. No other function may read after it.
  [[nodiscard]] Result<std::size_t> try_read_undecoded(std::span<std::byte> into) noexcept {
    return socket_.try_read(into);
  }
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept override { socket_.set_read_deadline_in(limit); }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept override { socket_.set_write_deadline_in(limit); }
  void expect_more() noexcept override { socket_.expect_more(); }
  void interrupt_read() noexcept override { socket_.interrupt_read(); }
  void shutdown_write() noexcept override {
    transport_ ? transport_->shutdown_write_alone() : socket_.shutdown_write();
  }

  [[nodiscard]] net::HangupWatch cancel_on_hangup(net::Hangup when) { return socket_.cancel_on_hangup(when); }
  void cork() noexcept { socket_.cork(); }
  void abort_on_close() noexcept { socket_.abort_on_close(); }
  [[nodiscard]] bool peer_closed() const noexcept { return socket_.peer_closed(); }

  // Returns whether the kernel can send files on this channel. Only if it can, try_write_before_file() and
  // try_send_file() may be called; TcpStream has their contracts.
  [[nodiscard]] bool sends_files() const noexcept { return transport_ == nullptr; }
  [[nodiscard]] Result<std::size_t> try_write_before_file(std::span<const std::byte> from) noexcept {
    return socket_.try_write_before_file(from);
  }
  [[nodiscard]] Result<std::size_t> try_send_file(int fd, std::uint64_t offset, std::size_t size) noexcept {
    return socket_.try_send_file(fd, offset, size);
  }

  // The client's address: the one in the PROXY header, otherwise that of the peer, also after the client has reset the
  // connection; on a unix socket, one without an IP address. Empty if it is not known.
  [[nodiscard]] std::optional<Address> client() const noexcept;
  // Null for plain HTTP.
  [[nodiscard]] const Transport* transport() const noexcept { return transport_.get(); }

 private:
  TcpStream socket_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<const Address> named_client_;  // by the PROXY header
};

}  // namespace volt::http::server
