// SPDX-License-Identifier: MIT

// Stream: TLS over another ByteStream, as a server, or as a client (tls/client_context.h).
//
//   tls::Stream stream(std::move(tcp_stream), context.current());
//   const Result<void> ready = co_await stream.handshake();
//
// Next is a stream, or a reference to a stream that outlives this one. Only handshake() waits. The other members have
// the contract of runtime/stream.h, with two differences. First, try_write() counts bytes only when their records are
// in the kernel: after a short count or operation_would_block, the next try_write() must begin with all the bytes that
// were left. Second, an end of the stream without close_notify is the error tls::Error::truncated; a count of 0 is an
// announced end.
//
// Threads: belongs to one task at a time, and may move between threads with it.
// Lifetime: the destructor sends close_notify without waiting; then Next closes the connection.
#pragma once

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "runtime/result.h"
#include "runtime/stream.h"
#include "runtime/task.h"
#include "tls/context.h"
#include "tls/error.h"
#include "tls/handshake_info.h"
#include "tls/internal/byte_transport.h"
#include "tls/internal/session.h"

namespace volt::tls {

template <class Next>
class Stream {
 public:
  Stream(Next next, std::shared_ptr<const Context> context) noexcept
      : next_(std::forward<Next>(next)), session_(std::move(context)) {}
  Stream(Stream&&) noexcept = default;
  Stream& operator=(Stream&&) = delete;
  ~Stream() { close_notify(); }

  // Performs the handshake, within handshake_timeout of the context. Call it once, before all other members. Removes
  // the deadlines of both directions. Errors: timed_out, interrupted; those of Next; tls::Error, for which failure()
  // may have details.
  [[nodiscard]] Task<Result<void>> handshake();

  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) {
    internal::StreamByteTransport transport(next_);
    return session_.read(transport, into);
  }
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) {
    internal::StreamByteTransport transport(next_);
    return session_.write(transport, from);
  }

  // Waits until try_read() can make progress. Completes immediately while has_unread().
  [[nodiscard]] auto readable() noexcept {
    using NextWait = decltype(next_.readable());
    return ReadableWait<NextWait>{has_unread(), next_.readable()};
  }
  [[nodiscard]] auto writable() noexcept { return next_.writable(); }

  void set_read_deadline_in(std::chrono::nanoseconds limit) noexcept { next_.set_read_deadline_in(limit); }
  void set_write_deadline_in(std::chrono::nanoseconds limit) noexcept { next_.set_write_deadline_in(limit); }

  // Whether data that was already read from Next is buffered in the session. Then call try_read() before waiting for
  // Next, which may not become readable.
  [[nodiscard]] bool has_unread() const noexcept { return session_.has_unread(); }

  void close_notify() noexcept {
    internal::StreamByteTransport transport(next_);
    session_.close_notify(transport);
  }
  void shutdown_write() noexcept {
    close_notify();
    next_.shutdown_write();
  }

  // The results of the handshake. Valid to call after it has succeeded.
  [[nodiscard]] HandshakeInfo handshake_info() const { return session_.handshake_info(); }
  [[nodiscard]] std::optional<ClientCertificate> client_certificate() const { return session_.client_certificate(); }

  // A description of the error for a log; empty if the error code says everything. The view lives as long as the
  // stream.
  [[nodiscard]] std::string_view failure() const noexcept { return session_.failure(); }

  // The stream below TLS: for a plain-text response after Error::plain_http, for the peer's address, for
  // interrupt_read().
  [[nodiscard]] std::remove_reference_t<Next>& next() noexcept { return next_; }

 private:
  template <class NextWait>
  struct ReadableWait {
    const bool unread;
    NextWait next;

    [[nodiscard]] bool await_ready() noexcept { return unread || next.await_ready(); }
    [[nodiscard]] auto await_suspend(std::coroutine_handle<> frame) noexcept { return next.await_suspend(frame); }
    [[nodiscard]] Result<void> await_resume() { return unread ? Result<void>{} : next.await_resume(); }
  };

  [[nodiscard]] Task<Result<internal::Progress>> shake_hands();

  Next next_;
  internal::Session session_;
};

template <class Next>
Stream(Next, std::shared_ptr<const Context>) -> Stream<Next>;

template <class Next>
Task<Result<void>> Stream<Next>::handshake() {
  constexpr auto kNever = std::chrono::nanoseconds::max();
  const std::chrono::nanoseconds limit = session_.context().handshake_timeout();
  set_read_deadline_in(limit);
  set_write_deadline_in(limit);
  const Result<internal::Progress> end = co_await shake_hands();
  set_read_deadline_in(kNever);
  set_write_deadline_in(kNever);
  if (!end) co_return std::unexpected(end.error());
  co_return Result<void>{};
}

// A client sends first. A server waits for the first bytes before it allocates memory for the session.
template <class Next>
Task<Result<internal::Progress>> Stream<Next>::shake_hands() {
  Result<internal::Progress> progress = internal::Progress::wants_read;
  if (session_.context().is_client()) {
    internal::StreamByteTransport transport(next_);
    progress = session_.handshake(transport);
  }
  while (progress && *progress != internal::Progress::done) {
    Result<void> ready;
    if (*progress == internal::Progress::wants_read) {
      auto wait = next_.readable();
      ready = co_await wait;
    } else {
      auto wait = next_.writable();
      ready = co_await wait;
    }
    if (!ready) co_return std::unexpected(ready.error());
    internal::StreamByteTransport transport(next_);
    progress = session_.handshake(transport);
  }
  co_return progress;
}

}  // namespace volt::tls
