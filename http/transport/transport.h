// Transport: what lies between a connection's socket and HTTP, such as TLS.
//
// Only open() waits. The others transfer what the socket takes or has, so that a connection that idles holds no buffer
// and its coroutine is the same with and without one.
//
// Threads: one call at a time, each perhaps by another: a connection may be read and written by two tasks, and whoever
// calls for both sees to it that they take turns. Lifetime: one a connection, within it.
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

  // Comes to terms with the peer, within a time of its own. False: the connection ends.
  [[nodiscard]] virtual Task<bool> open(TcpStream& socket) = 0;

  // Why open() gave false; none: it does not say.
  [[nodiscard]] virtual std::error_code failure() const noexcept { return {}; }

  // As TcpStream's. A write that would block is tried again: the same bytes, perhaps elsewhere and with more behind.
  [[nodiscard]] virtual Result<std::size_t> try_read(TcpStream& socket, std::span<std::byte> into) noexcept = 0;
  [[nodiscard]] virtual Result<std::size_t> try_write(TcpStream& socket, std::span<const std::byte> from) noexcept = 0;
  // The next try_read() gives something, whatever the socket has.
  [[nodiscard]] virtual bool has_unread() const noexcept = 0;
  // Tells the peer that our last byte has been written.
  virtual void close_notify(TcpStream& socket) noexcept = 0;

  // Nobody on the way can read or change what passes.
  [[nodiscard]] virtual bool secure() const noexcept = 0;
  // What it knows of the peer: Request::connection_fact().
  [[nodiscard]] virtual const message::TypedStore& facts() const noexcept = 0;
};

// Makes the transports of a listener's connections.
//
// Threads: any. Lifetime: shared by the listener and whoever reloads it.
class TransportSource {
 public:
  virtual ~TransportSource() = default;

  [[nodiscard]] virtual std::unique_ptr<Transport> make() = 0;

  // Reads its files again, for the connections to come. Error: why it goes on with what it has. Blocks.
  [[nodiscard]] virtual std::expected<void, std::string> reload() = 0;
  // What reload() reads.
  [[nodiscard]] virtual std::vector<std::string> files() const = 0;
  // What keeps nobody from serving, but somebody should know.
  [[nodiscard]] virtual std::vector<std::string> warnings() const = 0;

  // What a replacement of this process should know so that clients go on with it as with us. Secret; empty: nothing.
  [[nodiscard]] virtual std::string handoff_secret() const { return {}; }
  // Takes what a predecessor's source, in the same place, has left. False: it is of no use.
  virtual bool inherit(std::string_view) { return false; }
};

}  // namespace volt::http
