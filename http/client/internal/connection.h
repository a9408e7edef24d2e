// SPDX-License-Identifier: MIT

// Connection: a client's connection to one server, with an optional transport (TLS). Knows nothing of HTTP.
//
// Threads: one task at a time, or one task that reads and one that writes. Between two requests the connection is idle
// in the pool. Cancellation: a cancelled wait has transferred nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include "http/transport/transport.h"
#include "runtime/result.h"
#include "runtime/task.h"
#include "runtime/tcp.h"

namespace volt::http::client {

class Connection {
 public:
  Connection(std::string origin, TcpStream socket, std::unique_ptr<Transport> transport) noexcept
      : origin_(std::move(origin)), socket_(std::move(socket)), transport_(std::move(transport)) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    if (transport_) transport_->close_notify(socket_);
  }

  // Performs the transport's handshake. Returns false if it failed; transport_failure() then has the reason.
  [[nodiscard]] Task<bool> open();
  [[nodiscard]] std::error_code transport_failure() const noexcept { return transport_->failure(); }

  // Like the functions of TcpStream with these names, but `limit` bounds each wait.
  [[nodiscard]] Task<Result<void>> readable(std::chrono::nanoseconds limit);
  [[nodiscard]] Result<std::size_t> try_read(std::span<char> into) noexcept;
  [[nodiscard]] Task<Result<std::size_t>> read(std::span<char> into, std::chrono::nanoseconds limit);
  // Removes the written bytes from the front of `left`, so that a cancelled call can be continued with the rest.
  [[nodiscard]] Task<Result<void>> write_all(std::string_view& left, std::chrono::nanoseconds limit);

  // Returns true if neither the end of stream nor unexpected bytes have been received since the last response.
  [[nodiscard]] bool quiet() noexcept;

  [[nodiscard]] const std::string& origin() const noexcept { return origin_; }

 private:
  [[nodiscard]] Result<std::size_t> try_write(std::string_view from) noexcept;
  [[nodiscard]] bool has_unread() noexcept;

  const std::string origin_;  // only requests with this origin may reuse the connection
  TcpStream socket_;
  std::unique_ptr<Transport> transport_;
  std::mutex using_transport_;  // unlike a socket, it is not safe for a concurrent reader and writer
};

}  // namespace volt::http::client
