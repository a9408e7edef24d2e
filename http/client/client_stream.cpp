// SPDX-License-Identifier: MIT

#include "http/client/client_stream.h"

#include "http/client/internal/connection.h"

namespace volt::http {

ClientStream::ClientStream(std::unique_ptr<client::Connection> connection, std::string received) noexcept
    : connection_(std::move(connection)), received_(std::move(received)) {}
ClientStream::~ClientStream() = default;

Task<Result<std::size_t>> ClientStream::read(std::span<char> into, std::chrono::nanoseconds limit) {
  if (!received_.empty()) {
    const std::size_t count = received_.copy(into.data(), into.size());
    received_.erase(0, count);
    co_return count;
  }
  auto reading = connection_->read(into, limit);
  co_return co_await std::move(reading);
}

Task<Result<void>> ClientStream::write_all(std::string_view from, std::chrono::nanoseconds limit) {
  auto writing = connection_->write_all(from, limit);
  co_return co_await std::move(writing);
}

}  // namespace volt::http
