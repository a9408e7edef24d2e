// ClientStream: a connection that goes on with another protocol (ClientRequest::upgrade), as the bytes that it carries.
//
// Threads: one task reads while another writes. Lifetime: closes its connection when it goes; does not outlive the
// Runtime. Cancellation: a read that is cancelled has taken nothing.
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
  // `received` came behind the answer.
  ClientStream(std::unique_ptr<client::Connection> connection, std::string received) noexcept;
  ~ClientStream();
  ClientStream(const ClientStream&) = delete;
  ClientStream& operator=(const ClientStream&) = delete;

  // How many bytes have come; 0: the peer's end. Errors: timed_out, when nothing came for `limit`; as of recv(2).
  [[nodiscard]] Task<Result<std::size_t>> read(std::span<char> into,
                                               std::chrono::nanoseconds limit = std::chrono::nanoseconds::max());
  // `from` outlives the task. Errors: timed_out, when the peer took nothing for `limit`; as of send(2).
  [[nodiscard]] Task<Result<void>> write_all(std::string_view from,
                                             std::chrono::nanoseconds limit = std::chrono::nanoseconds::max());

 private:
  const std::unique_ptr<client::Connection> connection_;
  std::string received_;
};

}  // namespace volt::http
