// SPDX-License-Identifier: MIT

// Stream: TLS over another stream, as a server, or as a client (tls/client_context.h).
//
//   tls::Stream stream(std::move(tcp_stream), context.current());
//   const Result<void> ready = co_await stream.handshake();
//
// Only handshake() waits. The other members have the contract of runtime/stream.h, with two additions. First,
// try_write() counts bytes only when their records have been written to the stream below. Second, an end of the stream
// without close_notify is the error tls::Error::truncated; a count of 0 is an announced end. The transfers have the
// errors of the stream below and tls::Error, and not_enough_memory.
//
// Threads: belongs to one task at a time, and may move between threads with it. A reader and a writer must not call it
// at the same time.
// Lifetime: the destructor sends close_notify without waiting; then the stream below, if it is owned, is destroyed.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/forwarding_stream.h"
#include "runtime/result.h"
#include "runtime/task.h"
#include "runtime/tcp.h"
#include "tls/context.h"
#include "tls/error.h"
#include "tls/handshake_info.h"
#include "tls/internal/session.h"

namespace volt::tls {

class Stream final : public ForwardingStream {
 public:
  // Takes ownership of the stream below, or refers to one that outlives this stream.
  Stream(std::unique_ptr<volt::Stream> next, std::shared_ptr<const Context> context) noexcept;
  Stream(TcpStream&& next, std::shared_ptr<const Context> context);
  Stream(volt::Stream& next, std::shared_ptr<const Context> context) noexcept;
  Stream(Stream&&) noexcept = default;
  Stream& operator=(Stream&&) = delete;
  ~Stream() override { close_notify(); }

  // Performs the handshake, within handshake_timeout of the context. Call it once, before all other members. Removes
  // the deadlines of both directions. Errors: timed_out, interrupted; those of the stream below; tls::Error, for which
  // failure() may have details.
  [[nodiscard]] Task<Result<void>> handshake();

  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override;
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override;

  void close_notify() noexcept { session_.close_notify(next()); }
  void shutdown_write() noexcept override {
    close_notify();
    next().shutdown_write();
  }

  // Whether this is the client's side.
  [[nodiscard]] bool is_client() const noexcept { return session_.context().is_client(); }
  // The results of the handshake. Valid to call after it has succeeded.
  [[nodiscard]] HandshakeInfo handshake_info() const { return session_.handshake_info(); }
  [[nodiscard]] std::optional<ClientCertificate> client_certificate() const { return session_.client_certificate(); }

  // A description of the error for a log; empty if the error code says everything. The view lives as long as the
  // stream.
  [[nodiscard]] std::string_view failure() const noexcept { return session_.failure(); }

  // The stream below TLS: for a plain-text response after Error::plain_http.
  [[nodiscard]] volt::Stream& next() const noexcept { return below(); }

 private:
  [[nodiscard]] Task<Result<internal::Progress>> shake_hands();
  // Call after each operation of the session that reads: the stream below may not become readable again.
  void announce_unread() noexcept {
    if (session_.has_unread()) next().expect_more();
  }

  std::unique_ptr<volt::Stream> owned_;  // null: the stream below is not owned
  internal::Session session_;
};

}  // namespace volt::tls
