// Connection: a client's connection to one server, with its transport if it has one. No HTTP in it.
//
// Threads: one task at a time, or one that reads and one that writes; between requests it waits in the pool. Cancelled,
// a wait has moved nothing.
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

  // Comes to terms by the transport. False: see transport_failure().
  [[nodiscard]] Task<bool> open();
  [[nodiscard]] std::error_code transport_failure() const noexcept { return transport_->failure(); }

  // As TcpStream's; `limit` is for each wait.
  [[nodiscard]] Task<Result<void>> readable(std::chrono::nanoseconds limit);
  [[nodiscard]] Result<std::size_t> try_read(std::span<char> into) noexcept;
  [[nodiscard]] Task<Result<std::size_t>> read(std::span<char> into, std::chrono::nanoseconds limit);
  // Takes off the front of `left` what is written, so that what is left can be written after this was cancelled.
  [[nodiscard]] Task<Result<void>> write_all(std::string_view& left, std::chrono::nanoseconds limit);

  // Whether nothing has come since the last answer: neither an end, nor what nobody has asked for.
  [[nodiscard]] bool quiet() noexcept;

  [[nodiscard]] const std::string& origin() const noexcept { return origin_; }

 private:
  [[nodiscard]] Result<std::size_t> try_write(std::string_view from) noexcept;
  [[nodiscard]] bool has_unread() noexcept;

  const std::string origin_;  // whom it may be used for again
  TcpStream socket_;
  std::unique_ptr<Transport> transport_;
  std::mutex using_transport_;  // which bears less than a socket: there, one task reads while another writes
};

}  // namespace volt::http::client
