// Session: one TLS connection, without its I/O. Of a server, or of a client (tls/client_context.h).
//
// The ciphertext goes between the transport and libssl's own buffers, which exist while a record is under way; there are
// none of ours, but for the flights of a handshake (wire_bio.h), nothing is copied through a memory BIO, and an idle
// session has no buffer at all. A session that has not yet heard of its client has not even a libssl connection. One
// system call reads all the records that are there.
//
// Threads: one at a time; no call suspends, so that libssl's error queue, which is the thread's, is emptied before and
// after each.
// Errors: those of the transport, and tls::Error. After an error other than operation_would_block the session is over: every
// later call gives the same one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "runtime/result.h"
#include "tls/context.h"
#include "tls/handshake_info.h"
#include "tls/internal/byte_transport.h"

namespace volt::tls::internal {

enum class Progress : std::uint8_t { done, wants_read, wants_write };

class Session {
 public:
  explicit Session(std::shared_ptr<const Context> context) noexcept;
  Session(Session&& other) noexcept;
  Session& operator=(Session&& other) noexcept;
  ~Session();

  // Goes on with the handshake, as far as it gets without waiting. read() and write() come after it is done.
  [[nodiscard]] Result<Progress> handshake(ByteTransport& transport);

  // Bytes decrypted; 0 at the peer's close_notify (or for an empty span). An end without one: Error::truncated.
  [[nodiscard]] Result<std::size_t> read(ByteTransport& transport, std::span<std::byte> into);
  // Bytes whose records the transport has taken whole: a short count, or operation_would_block, when it takes no more. The
  // next call must then begin with the bytes that were left, all of them. After close_notify(): broken_pipe.
  [[nodiscard]] Result<std::size_t> write(ByteTransport& transport, std::span<const std::byte> from);
  // The peer sees the end of our data, if the transport takes it at once. Once; not after an error.
  void close_notify(ByteTransport& transport) noexcept;

  // Bytes that the transport has given already may hold more to read: do not wait for it.
  [[nodiscard]] bool has_unread() const noexcept;

  // What went wrong, in libssl's words; empty if it has none. Valid as long as the session.
  [[nodiscard]] std::string_view failure() const noexcept;

  [[nodiscard]] const Context& context() const noexcept { return *context_; }
  // After the handshake.
  [[nodiscard]] HandshakeInfo handshake_info() const;
  [[nodiscard]] std::optional<ClientCertificate> client_certificate() const;

 private:
  struct State;

  std::shared_ptr<const Context> context_;
  std::unique_ptr<State> state_;  // null: the client has not spoken yet
};

}  // namespace volt::tls::internal
