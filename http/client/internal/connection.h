// SPDX-License-Identifier: MIT

// Connection: a client's connection to one server, with an optional transport (TLS). Knows nothing of HTTP.
//
// Threads: one task at a time, or one task that reads and one that writes. Between two requests the connection is idle
// in the pool. Cancellation: a cancelled wait has transferred nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "http/client/internal/statistics.h"
#include "http/transport/transport.h"
#include "runtime/result.h"
#include "runtime/stream.h"
#include "runtime/task.h"
#include "runtime/tcp.h"

namespace volt::http {
class ClientTransportSource;
}

namespace volt::http::client {

class Connection final : public Stream {
 public:
  // `transports` makes the transport to `host`; null: there is none. `statistics` counts the connection as open.
  Connection(std::string origin, TcpStream socket, ClientTransportSource* transports, const std::string& host,
             std::shared_ptr<Statistics> statistics);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // Performs the transport's handshake, if there is one.
  [[nodiscard]] Task<Result<void>> open();

  // The waits are those of the socket, whether there is a transport or not.
  [[nodiscard]] net::ReadyWait readable() noexcept override { return socket_.readable(); }
  [[nodiscard]] net::ReadyWait writable() noexcept override { return socket_.writable(); }
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override {
    return transport_ ? transport_->try_read_alone(into) : socket_.try_read(into);
  }
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override {
    return transport_ ? transport_->try_write_alone(from) : socket_.try_write(from);
  }
  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept override { socket_.set_read_deadline_in(limit); }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept override { socket_.set_write_deadline_in(limit); }
  void expect_more() noexcept override { socket_.expect_more(); }
  void interrupt_read() noexcept override { socket_.interrupt_read(); }
  void shutdown_write() noexcept override {
    transport_ ? transport_->shutdown_write_alone() : socket_.shutdown_write();
  }

  // Waits as readable() does, for at most `limit`.
  [[nodiscard]] Task<Result<void>> await_readable(std::chrono::nanoseconds limit);
  // Writes as write_and_advance() does; `limit` bounds each wait.
  [[nodiscard]] Task<Result<void>> write_with_limit(std::span<const std::byte>& left, std::chrono::nanoseconds limit);

  // Returns true if neither the end of stream nor unexpected bytes have been received since the last response.
  [[nodiscard]] bool quiet() noexcept;

  [[nodiscard]] const std::string& origin() const noexcept { return origin_; }

 private:
  const std::string origin_;  // only requests with this origin may reuse the connection
  TcpStream socket_;
  const std::unique_ptr<Transport> transport_;
  const std::shared_ptr<Statistics> statistics_;
  const Counted counted_;
};

}  // namespace volt::http::client
