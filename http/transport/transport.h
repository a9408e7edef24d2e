// SPDX-License-Identifier: MIT

// Transport: the layer between a connection's socket and HTTP, such as TLS.
//
// Only open() waits. The other members transfer the bytes that the socket accepts or has, so that an idle connection
// holds no buffer and its coroutine is identical with and without a transport.
//
// Threads: one call at a time, each perhaps on another thread. A connection may be read and written by two tasks; the
// caller must serialize their calls. Lifetime: one per connection, within the connection's lifetime.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "http/message/typed_store.h"
#include "runtime/result.h"
#include "runtime/task.h"

namespace volt {
class TcpStream;
}

namespace volt::http {

class Transport {
 public:
  virtual ~Transport() = default;

  // Performs the handshake with the peer, within a timeout of its own. Returns false if the connection must be closed.
  [[nodiscard]] virtual Task<bool> open(TcpStream& socket) = 0;

  // Returns the reason for the failure of open(); no error if the reason is unknown.
  [[nodiscard]] virtual std::error_code failure() const noexcept { return {}; }

  // Like the functions of TcpStream. A write that would block must be repeated with these bytes, perhaps at another
  // address and followed by more bytes.
  [[nodiscard]] virtual Result<std::size_t> try_read(TcpStream& socket, std::span<std::byte> into) noexcept = 0;
  [[nodiscard]] virtual Result<std::size_t> try_write(TcpStream& socket, std::span<const std::byte> from) noexcept = 0;
  // Returns whether the next try_read() returns bytes even if the socket has none.
  [[nodiscard]] virtual bool has_unread() const noexcept = 0;
  // Notifies the peer that the last byte has been written.
  virtual void close_notify(TcpStream& socket) noexcept = 0;

  // Returns whether the bytes are protected against reading and modification by third parties.
  [[nodiscard]] virtual bool secure() const noexcept = 0;
  // Returns the known facts about the peer: Request::connection_fact().
  [[nodiscard]] virtual const message::TypedStore& facts() const noexcept = 0;
};

// Makes the transports of a listener's connections.
//
// Threads: any. Lifetime: shared by the listener and the code that reloads it.
class TransportSource {
 public:
  virtual ~TransportSource() = default;

  [[nodiscard]] virtual std::unique_ptr<Transport> make() = 0;

  // Reads the source's files again, for future connections. On an error, which is described, the previous content stays
  // in use. Blocks.
  [[nodiscard]] virtual std::expected<void, std::string> reload() = 0;
  // Returns the files that reload() reads.
  [[nodiscard]] virtual std::vector<std::string> files() const = 0;
  // Returns problems that do not prevent serving but that an operator should know about.
  [[nodiscard]] virtual std::vector<std::string> warnings() const = 0;

  // Returns the secret that lets a replacement process continue with this process's clients, such as their sessions.
  // Empty: there is nothing to hand over.
  [[nodiscard]] virtual std::string handoff_secret() const { return {}; }
  // Takes over the handoff_secret() of the predecessor's source in the corresponding place. Returns false if it is
  // unusable.
  virtual bool inherit(std::string_view) { return false; }
};

}  // namespace volt::http
