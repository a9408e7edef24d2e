// SPDX-License-Identifier: MIT

#include "tls/stream.h"

#include <new>
#include <utility>

namespace volt::tls {

Stream::Stream(std::unique_ptr<volt::Stream> next, std::shared_ptr<const Context> context) noexcept
    : ForwardingStream(*next), owned_(std::move(next)), session_(std::move(context)) {}
Stream::Stream(TcpStream&& next, std::shared_ptr<const Context> context)
    : Stream(std::make_unique<TcpStream>(std::move(next)), std::move(context)) {}
Stream::Stream(volt::Stream& next, std::shared_ptr<const Context> context) noexcept
    : ForwardingStream(next), session_(std::move(context)) {}

Task<Result<void>> Stream::handshake() {
  const std::chrono::nanoseconds limit = session_.context().handshake_timeout();
  set_read_deadline_in(limit);
  set_write_deadline_in(limit);
  const Result<internal::Progress> end = co_await shake_hands();
  set_read_deadline_in(kNoDeadline);
  set_write_deadline_in(kNoDeadline);
  if (!end) co_return std::unexpected(end.error());
  announce_unread();
  co_return Result<void>{};
}

// A client sends first. A server waits for the first bytes before it allocates memory for the session.
Task<Result<internal::Progress>> Stream::shake_hands() {
  Result<internal::Progress> progress = internal::Progress::wants_read;
  if (session_.context().is_client()) progress = session_.handshake(next());
  while (progress && *progress != internal::Progress::done) {
    Result<void> ready;
    if (*progress == internal::Progress::wants_read) {
      ready = co_await readable();
    } else {
      ready = co_await writable();
    }
    if (!ready) co_return std::unexpected(ready.error());
    progress = session_.handshake(next());
  }
  co_return progress;
}

Result<std::size_t> Stream::try_read(std::span<std::byte> into) noexcept {
  try {
    const Result<std::size_t> count = session_.read(next(), into);
    announce_unread();
    return count;
  } catch (const std::bad_alloc&) {  // decided: an error of this connection, which ends it
    return error(std::errc::not_enough_memory);
  }
}

Result<std::size_t> Stream::try_write(std::span<const std::byte> from) noexcept {
  try {
    return session_.write(next(), from);
  } catch (const std::bad_alloc&) {  // decided: as in try_read()
    return error(std::errc::not_enough_memory);
  }
}

}  // namespace volt::tls
