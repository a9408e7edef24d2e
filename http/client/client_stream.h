// SPDX-License-Identifier: MIT

// ClientStream: the bytes of a connection that was upgraded to another protocol (ClientRequest::upgrade); first come
// those that were received after the response's head.
//
// Threads: one task may read while another writes. Lifetime: the destructor closes the connection. Cancellation: a
// cancelled read has consumed nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "runtime/forwarding_stream.h"
#include "runtime/result.h"

namespace volt::http {

namespace client {
class Connection;
}

class ClientStream final : public ForwardingStream {
 public:
  // `received`: the bytes that were received after the response's head. The stream begins without deadlines, even if
  // the connection had some.
  ClientStream(std::unique_ptr<client::Connection> connection, std::string received) noexcept;
  ~ClientStream() override;
  ClientStream(const ClientStream&) = delete;
  ClientStream& operator=(const ClientStream&) = delete;

  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override;

 private:
  const std::unique_ptr<client::Connection> connection_;
  std::string received_;
};

}  // namespace volt::http
