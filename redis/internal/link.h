// SPDX-License-Identifier: MIT

// Link: the bytes of one connection, as commands out and replies in, over TCP, a unix socket or TLS.
//
// send() only appends to a buffer. A task that runs write() takes all that has collected and writes it at once; it lets
// other runnable tasks of its worker add their commands first. One other task calls receive().
//
// Threads: send() and close() may be called from any thread. Lifetime: shared by its two tasks and its owner.
// Cancellation: a cancelled wait leaves the connection unusable for further replies of a command that was sent, so the
// two tasks are cancelled only when the runtime stops.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redis/internal/reply_reader.h"
#include "redis/reply.h"
#include "runtime/notify.h"
#include "runtime/result.h"
#include "runtime/stream_socket.h"
#include "runtime/task.h"
#include "tls/stream.h"

namespace volt::redis::internal {

// A socket that any thread may shut down, which ends its waits for good.
class Endable final : public StreamSocket {
 public:
  explicit Endable(StreamSocket socket) noexcept : StreamSocket(std::move(socket)) {}
  void shut_down() noexcept;
};

enum class Received : std::uint8_t {
  replies,  // at least one
  nothing,  // no complete reply in time
  end,      // the connection has ended: failure() says why
};

class Link {
 public:
  // `write_timeout` bounds each wait for room in the socket.
  Link(StreamSocket socket, std::size_t reply_bytes_max, std::chrono::nanoseconds write_timeout);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // Performs the handshake of TLS. Must be called before all else, and not again.
  [[nodiscard]] Task<Result<void>> start_tls(std::shared_ptr<const tls::Context> context);

  void send(std::string_view bytes);
  // Writes all that was sent. Returns false if the connection has ended.
  [[nodiscard]] Task<bool> flush();
  // Writes what is sent, until the connection ends.
  static Task<> write(std::shared_ptr<Link> link);

  // Waits until at least one reply is complete, for at most `limit`, and appends the complete ones to `into`.
  [[nodiscard]] Task<Received> receive(std::vector<Reply>& into, std::chrono::nanoseconds limit);

  // Ends the connection: receive() and write() end.
  void close() noexcept;
  // Returns why receive() returned `end`. Must be called by the task that receives.
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }

 private:
  static constexpr std::size_t kReadBytes = 32 * 1024;

  [[nodiscard]] volt::Stream& stream() noexcept;
  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into);
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from);
  [[nodiscard]] bool take_unsent(std::string& into);
  [[nodiscard]] bool closed();

  const std::chrono::nanoseconds write_timeout_;
  Endable socket_;
  std::optional<tls::Stream> tls_;
  std::mutex transfer_;  // TLS does not allow a read and a write at the same time
  Notify work_;          // wakes write()
  std::mutex mutex_;     // protects unsent_ and closed_
  std::string unsent_;
  bool closed_ = false;
  std::string sending_;  // of flush()
  const std::unique_ptr<std::byte[]> buffer_;
  ReplyReader reader_;
  std::string failure_;
};

}  // namespace volt::redis::internal
