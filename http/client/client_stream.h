// SPDX-License-Identifier: MIT

// ClientStream: the byte stream of a connection that was upgraded to another protocol (ClientRequest::upgrade).
//
// Threads: one task may read while another writes. Lifetime: the destructor closes the connection; a stream must not
// outlive the Runtime. Cancellation: a cancelled read has consumed nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "runtime/result.h"
#include "runtime/task.h"

namespace volt::http {

namespace client {
class Connection;
}

class ClientStream {
 public:
  // `received`: the bytes that were received after the response's head.
  ClientStream(std::unique_ptr<client::Connection> connection, std::string received) noexcept;
  ~ClientStream();
  ClientStream(const ClientStream&) = delete;
  ClientStream& operator=(const ClientStream&) = delete;

  // Reads at least one byte and returns the count; 0 at end of stream. Errors: timed_out if nothing was received for
  // `limit`; those of recv(2).
  [[nodiscard]] Task<Result<std::size_t>> read(std::span<char> into,
                                               std::chrono::nanoseconds limit = std::chrono::nanoseconds::max());
  // Writes all of `from`, which must outlive the task. Errors: timed_out if the peer accepted nothing for `limit`;
  // those of send(2).
  [[nodiscard]] Task<Result<void>> write_all(std::string_view from,
                                             std::chrono::nanoseconds limit = std::chrono::nanoseconds::max());

 private:
  const std::unique_ptr<client::Connection> connection_;
  std::string received_;
};

}  // namespace volt::http
