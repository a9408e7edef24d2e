// SPDX-License-Identifier: MIT

#include "http/client/internal/connection.h"

#include <utility>

#include "http/transport/client_transport.h"

namespace volt::http::client {

Connection::Connection(std::string origin, TcpStream socket, ClientTransportSource* transports, const std::string& host,
                       std::shared_ptr<Statistics> statistics)
    : origin_(std::move(origin)),
      socket_(std::move(socket)),
      transport_(transports ? transports->make(socket_, host) : nullptr),
      statistics_(std::move(statistics)),
      counted_(statistics_->open) {}

Task<Result<void>> Connection::open() {
  if (!transport_) co_return Result<void>{};
  co_return co_await transport_->open();
}

Task<Result<void>> Connection::await_readable(std::chrono::nanoseconds limit) {
  set_read_deadline_in(limit);
  co_return co_await readable();
}

Task<Result<void>> Connection::write_with_limit(std::span<const std::byte>& left, std::chrono::nanoseconds limit) {
  for (;;) {
    const Result<bool> written = try_write_and_advance(left);
    if (!written) co_return std::unexpected(written.error());
    if (*written) co_return Result<void>{};
    set_write_deadline_in(limit);
    const Result<void> ready = co_await writable();
    if (!ready) co_return ready;
  }
}

bool Connection::quiet() noexcept {
  std::byte byte{};
  return would_block(try_read({&byte, 1}));
}

}  // namespace volt::http::client
