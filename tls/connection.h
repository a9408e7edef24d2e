// Connection: a server's TLS on a stream that somebody else owns and hands over in each call: always the same one,
// which may move between calls. tls::Stream is one that has its stream.
//
//   tls::Connection tls(context.current());
//   const Result<void> ready = co_await tls.handshake(socket);
//
// Only handshake() waits.
//
// Threads: belongs to one task at a time and may move with it.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "runtime/result.h"
#include "runtime/stream.h"
#include "runtime/task.h"
#include "tls/connection_facts.h"
#include "tls/context.h"
#include "tls/engine/session.h"
#include "tls/engine/wire.h"
#include "tls/error.h"

namespace volt::tls {

class Connection {
 public:
  explicit Connection(std::shared_ptr<const Context> context) noexcept : session_(std::move(context)) {}

  // First of all, once; within Options::handshake_timeout from now. Leaves both directions without a deadline.
  // Errors: timed_out, interrupted; tls::Error, and then failure() may know more; those of the stream.
  template <ByteStream Stream>
  [[nodiscard]] Task<Result<void>> handshake(Stream& stream);

  // Bytes decrypted; 0 at the peer's close_notify (or for an empty span). Errors: operation_would_block; tls::Error,
  // Error::truncated for an end that was not announced; those of the stream. After any but the first it is over.
  template <ByteStream Stream>
  [[nodiscard]] Result<std::size_t> try_read(Stream& stream, std::span<std::byte> into) {
    engine::StreamWire wire(stream);
    return session_.read(wire, into);
  }
  // Bytes whose records are in the kernel. After a short count or operation_would_block the next call begins with the
  // very bytes that were left, all of them: they may be elsewhere, and have more behind. After close_notify():
  // broken_pipe.
  template <ByteStream Stream>
  [[nodiscard]] Result<std::size_t> try_write(Stream& stream, std::span<const std::byte> from) {
    engine::StreamWire wire(stream);
    return session_.write(wire, from);
  }
  // Bytes that have left the stream already wait to be read, so that it may have nothing to report: read, do not wait.
  [[nodiscard]] bool has_unread() const noexcept { return session_.has_unread(); }

  // The peer sees the end of our data, if the stream takes it at once. Once; not before the handshake is done, nor
  // after an error.
  template <ByteStream Stream>
  void close_notify(Stream& stream) noexcept {
    engine::StreamWire wire(stream);
    session_.close_notify(wire);
  }

  // After the handshake.
  [[nodiscard]] ConnectionFacts facts() const { return session_.facts(); }
  [[nodiscard]] std::optional<ClientCertificate> client_certificate() const { return session_.client_certificate(); }

  // What went wrong, in words for a log; empty where the error code says it all. Valid as long as the connection.
  [[nodiscard]] std::string_view failure() const noexcept { return session_.failure(); }

 private:
  template <ByteStream Stream>
  [[nodiscard]] Task<Result<engine::Progress>> shake_hands(Stream& stream);

  engine::Session session_;
};

template <ByteStream Stream>
Task<Result<void>> Connection::handshake(Stream& stream) {
  constexpr auto kNever = std::chrono::nanoseconds::max();
  const std::chrono::nanoseconds limit = session_.context().handshake_timeout();
  stream.set_read_deadline_in(limit);
  stream.set_write_deadline_in(limit);
  const Result<engine::Progress> end = co_await shake_hands(stream);
  stream.set_read_deadline_in(kNever);
  stream.set_write_deadline_in(kNever);
  if (!end) co_return std::unexpected(end.error());
  co_return Result<void>{};
}

// The client speaks first, so that one who never does costs no memory.
template <ByteStream Stream>
Task<Result<engine::Progress>> Connection::shake_hands(Stream& stream) {
  Result<engine::Progress> progress = engine::Progress::wants_read;
  while (progress && *progress != engine::Progress::done) {
    Result<void> ready;
    if (*progress == engine::Progress::wants_read) {
      auto wait = stream.readable();
      ready = co_await wait;
    } else {
      auto wait = stream.writable();
      ready = co_await wait;
    }
    if (!ready) co_return std::unexpected(ready.error());
    engine::StreamWire wire(stream);
    progress = session_.handshake(wire);
  }
  co_return progress;
}

}  // namespace volt::tls
