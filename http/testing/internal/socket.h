// SPDX-License-Identifier: MIT

// Socket: the client's end of a connection. It makes system calls on the test's thread. Each wait has a limit in real
// time.
//
// Threads: one at a time. Lifetime: closes its descriptor.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/file_descriptor.h"
#include "runtime/result.h"

namespace volt::http::testing {

// The result of a transfer that does not wait.
enum class TransferResult : std::uint8_t { some, nothing, ended };

// Returns the two ends of a new connection, non-blocking. Errors: those of socketpair(2).
[[nodiscard]] Result<std::pair<FileDescriptor, FileDescriptor>> connected_sockets() noexcept;

class Socket {
 public:
  // Takes ownership of a connected, non-blocking descriptor. No wait takes longer than `wait_timeout`.
  Socket(int fd, std::chrono::milliseconds wait_timeout) noexcept : fd_(fd), wait_timeout_(wait_timeout) {}

  // Sends as much as the kernel accepts, and removes those bytes from the front of `bytes`. `ended`: the peer has
  // closed.
  TransferResult try_send(std::string_view& bytes) noexcept;
  // Appends the available bytes, at most kReceiveBytes. `ended`: the peer has closed.
  TransferResult try_receive(std::string& to);

  // Blocks until bytes can be received or, if `sending`, sent. Throws TestFailure after the timeout.
  void wait(bool sending = false) const;

  void finish_sending() noexcept;
  void close() noexcept { fd_ = FileDescriptor(); }

  static constexpr std::size_t kReceiveBytes = 64 * 1024;

 private:
  FileDescriptor fd_;
  std::chrono::milliseconds wait_timeout_;
};

}  // namespace volt::http::testing
