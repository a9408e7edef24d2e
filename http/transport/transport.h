// SPDX-License-Identifier: MIT

// Transport: the layer between a connection's socket and HTTP, such as TLS.
//
// Only open() waits by itself. The other members transfer the bytes that the socket accepts or has, so that an idle
// connection holds no buffer and its coroutine is identical with and without a transport. shutdown_write() and the
// destructor notify the peer that the last byte has been written.
//
// Threads: one call of try_read(), try_write() or shutdown_write() at a time, each perhaps on another thread. For a
// connection that is read by one task and written by another there are the .._alone functions, which lock.
// Lifetime: one per connection, within the lifetime of the socket.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/typed_store.h"
#include "runtime/forwarding_stream.h"
#include "runtime/result.h"
#include "runtime/task.h"
#include "runtime/tcp.h"

namespace volt {
class MetricSink;
}

namespace volt::http {

class Transport : public ForwardingStream {
 public:
  // Performs the handshake with the peer, within a timeout of its own. After an error the connection must be closed.
  [[nodiscard]] virtual Task<Result<void>> open() = 0;

  // Returns whether the bytes are protected against reading and modification by third parties.
  [[nodiscard]] virtual bool secure() const noexcept = 0;
  // Returns the known facts about the peer: Request::connection_fact().
  [[nodiscard]] virtual const message::TypedStore& facts() const noexcept = 0;

  // As try_read(), try_write() and shutdown_write(), of which only one is called at a time.
  [[nodiscard]] Result<std::size_t> try_read_alone(std::span<std::byte> into) noexcept;
  [[nodiscard]] Result<std::size_t> try_write_alone(std::span<const std::byte> from) noexcept;
  void shutdown_write_alone() noexcept;

 protected:
  explicit Transport(TcpStream& socket) noexcept : ForwardingStream(socket) {}

  [[nodiscard]] TcpStream& socket() const noexcept { return static_cast<TcpStream&>(below()); }

 private:
  std::mutex transferring_;
};

// Makes the transports of a listener's connections.
//
// Threads: any. Lifetime: shared by the listener and the code that reloads it.
class TransportSource {
 public:
  virtual ~TransportSource() = default;

  // Makes the transport of a connection. `socket` must outlive it.
  [[nodiscard]] virtual std::unique_ptr<Transport> make(TcpStream& socket) = 0;

  // Reads the source's files again, for future connections. If that fails, returns a description of the error, and the
  // previous content stays in use. Blocks.
  [[nodiscard]] virtual std::expected<void, std::string> reload() = 0;
  // Returns the files that reload() reads.
  [[nodiscard]] virtual std::vector<std::string> files() const = 0;
  // Returns problems that do not prevent serving but that an operator should know about.
  [[nodiscard]] virtual std::vector<std::string> warnings() const = 0;

  // Reports the handshakes, for /metrics. Sources that have none report nothing. Any thread.
  virtual void report_metrics(MetricSink&) const {}

  // Returns the secret that lets a replacement process continue with this process's clients, such as their sessions.
  // Empty: there is nothing to hand over.
  [[nodiscard]] virtual std::string handoff_secret() const { return {}; }
  // Takes over the handoff_secret() of the predecessor's source in the corresponding place. Returns false if it is
  // unusable.
  virtual bool inherit(std::string_view) { return false; }
};

}  // namespace volt::http
