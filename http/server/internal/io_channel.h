// IoChannel: a connection's bytes: its socket, and the transport on it if it has one. Knows who the client is.
//
// Threads: the connection's task and its children, one in each direction; interrupt_read() any. Lifetime: in the
// connection's frame.
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

  // What precedes HTTP on connections of that listener_state. False: the connection ends, without a word unless the transport
  // has one; so does an interrupt_read(). First who the client is, where the listener_state is behind a proxy; then the transport, where there is one.
  [[nodiscard]] Task<bool> read_preamble(const ListenerState& listener_state, std::chrono::nanoseconds limit);
  [[nodiscard]] Task<bool> open_transport();

  // As TcpStream's.
  [[nodiscard]] net::ReadyWait readable() noexcept { return socket_.readable(); }
  [[nodiscard]] net::ReadyWait writable() noexcept { return socket_.writable(); }
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept {
    return transport_ ? try_read_secured(into) : socket_.try_read(into);
  }
  // A write that would block is tried again with the same bytes, and perhaps more behind them.
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

  // Whether the kernel can send files: only then are these to be called, which are TcpStream's.
  [[nodiscard]] bool sends_files() const noexcept { return transport_ == nullptr; }
  [[nodiscard]] Result<std::size_t> try_write_before_file(std::span<const std::byte> from) noexcept {
    return socket_.try_write_before_file(from);
  }
  [[nodiscard]] Result<std::size_t> try_send_file(int fd, std::uint64_t offset, std::size_t size) noexcept {
    return socket_.try_send_file(fd, offset, size);
  }

  // The client, as the balancer in front has named it, else the other end. Empty: it has no address, or is gone.
  [[nodiscard]] std::optional<Address> client() const noexcept;
  // Null: HTTP as it is.
  [[nodiscard]] const Transport* transport() const noexcept { return transport_.get(); }

 private:
  [[nodiscard]] Task<bool> read_proxy_header(std::chrono::nanoseconds limit);
  [[nodiscard]] Result<std::size_t> try_read_secured(std::span<std::byte> into) noexcept;
  [[nodiscard]] Result<std::size_t> try_write_secured(std::span<const std::byte> from) noexcept;

  TcpStream socket_;
  std::unique_ptr<Transport> transport_;
  std::mutex using_transport_;  // which bears less than a socket: there, one task reads while another writes
  std::unique_ptr<const Address> named_client_;  // by a balancer
};

}  // namespace volt::http::server
