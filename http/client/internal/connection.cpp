// SPDX-License-Identifier: MIT

#include "http/client/internal/connection.h"

namespace volt::http::client {

Task<bool> Connection::open() {
  if (!transport_) co_return true;
  auto opening = transport_->open(socket_);
  const bool agreed = co_await std::move(opening);
  co_return agreed;
}

Result<std::size_t> Connection::try_read(std::span<char> into) noexcept {
  const auto bytes = std::as_writable_bytes(into);
  if (!transport_) return socket_.try_read(bytes);
  const std::scoped_lock lock(using_transport_);
  return transport_->try_read(socket_, bytes);
}

Result<std::size_t> Connection::try_write(std::string_view from) noexcept {
  const auto bytes = std::as_bytes(std::span(from));
  if (!transport_) return socket_.try_write(bytes);
  const std::scoped_lock lock(using_transport_);
  return transport_->try_write(socket_, bytes);
}

bool Connection::has_unread() noexcept {
  if (!transport_) return false;
  const std::scoped_lock lock(using_transport_);
  return transport_->has_unread();
}

Task<Result<void>> Connection::readable(std::chrono::nanoseconds limit) {
  if (has_unread()) co_return Result<void>{};
  socket_.set_read_deadline_in(limit);
  const Result<void> ready = co_await socket_.readable();
  co_return ready;
}

Task<Result<std::size_t>> Connection::read(std::span<char> into, std::chrono::nanoseconds limit) {
  socket_.set_read_deadline_in(limit);
  for (;;) {
    if (!has_unread()) {
      const Result<void> ready = co_await socket_.readable();
      if (!ready) co_return std::unexpected(ready.error());
    }
    Result<std::size_t> count = try_read(into);
    if (!would_block(count)) co_return count;
  }
}

Task<Result<void>> Connection::write_all(std::string_view& left, std::chrono::nanoseconds limit) {
  while (!left.empty()) {
    const Result<std::size_t> count = try_write(left);
    if (count) left.remove_prefix(*count);
    if (!count && !would_block(count)) co_return std::unexpected(count.error());
    if (count) continue;
    socket_.set_write_deadline_in(limit);
    const Result<void> ready = co_await socket_.writable();
    if (!ready) co_return ready;
  }
  co_return Result<void>{};
}

bool Connection::quiet() noexcept {
  char byte = 0;
  return would_block(try_read({&byte, 1}));
}

}  // namespace volt::http::client
