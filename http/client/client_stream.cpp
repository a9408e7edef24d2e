// SPDX-License-Identifier: MIT

#include "http/client/client_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "http/client/internal/connection.h"

namespace volt::http {

ClientStream::ClientStream(std::unique_ptr<client::Connection> connection, std::string received) noexcept
    : ForwardingStream(*connection), connection_(std::move(connection)), received_(std::move(received)) {
  set_read_deadline_in(kNoDeadline);
  set_write_deadline_in(kNoDeadline);
  if (!received_.empty()) expect_more();
}
ClientStream::~ClientStream() = default;

// The bytes in `received_` need no call of the connection, so a readable() between two of these reads returns at once.
Result<std::size_t> ClientStream::try_read(std::span<std::byte> into) noexcept {
  if (received_.empty()) return connection_->try_read(into);
  const std::size_t count = std::min(into.size(), received_.size());
  std::memcpy(into.data(), received_.data(), count);
  received_.erase(0, count);
  if (received_.empty()) std::string().swap(received_);  // an upgraded connection may last for days
  return count;
}

}  // namespace volt::http
