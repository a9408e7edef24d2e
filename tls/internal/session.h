// SPDX-License-Identifier: MIT

// Session: one TLS connection without its waits, of a server or of a client (tls/client_context.h). Each call receives
// the stream below TLS, and only transfers: it never waits, but returns operation_would_block.
//
// Ciphertext is copied between the stream below and libssl's own buffers, which exist only while a record is in
// progress. The session adds no buffers, except for the flights of a handshake (stream_bio.h), and does not copy
// through a memory BIO. An idle session has no buffer at all. A session that has not received data from its client has
// no libssl connection. One system call reads all available records.
//
// Threads: one at a time. No call suspends, because libssl's error queue belongs to the thread: each call empties it
// first. Errors: those of the stream below, and tls::Error. An error other than operation_would_block ends the session:
// every later call returns this error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/result.h"
#include "runtime/stream.h"
#include "tls/context.h"
#include "tls/handshake_info.h"

namespace volt::tls::internal {

enum class Progress : std::uint8_t { done, wants_read, wants_write };

class Session {
 public:
  explicit Session(std::shared_ptr<const Context> context) noexcept;
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  ~Session();

  // Continues the handshake as far as possible without waiting. read() and write() may be called when it is done.
  [[nodiscard]] Result<Progress> handshake(volt::Stream& next);

  // Returns the number of decrypted bytes; 0 after the peer's close_notify, or for an empty span. Error::truncated if
  // the stream below ended without close_notify.
  [[nodiscard]] Result<std::size_t> read(volt::Stream& next, std::span<std::byte> into);
  // Returns the number of bytes whose records the stream below accepted completely: a short count, or
  // operation_would_block, if it accepts no more. The next call must then begin with all the bytes that were left.
  // broken_pipe after close_notify().
  [[nodiscard]] Result<std::size_t> write(volt::Stream& next, std::span<const std::byte> from);
  // Sends close_notify once, if the stream below accepts it immediately. Does nothing before the handshake is done,
  // after an error, or when called again.
  void close_notify(volt::Stream& next) noexcept;

  // Whether bytes that were already read from the stream below may hold more data. Then call read() before waiting for
  // that stream.
  [[nodiscard]] bool has_unread() const noexcept;

  // The description of the error by libssl; empty if there is none. The view lives as long as the session.
  [[nodiscard]] std::string_view failure() const noexcept;

  [[nodiscard]] const Context& context() const noexcept { return *context_; }
  // The results of the handshake. Valid to call after it is done.
  [[nodiscard]] HandshakeInfo handshake_info() const;
  [[nodiscard]] std::optional<ClientCertificate> client_certificate() const;

 private:
  struct State;

  std::shared_ptr<const Context> context_;
  std::unique_ptr<State> state_;  // null before the first call of handshake()
};

}  // namespace volt::tls::internal
