#include "http/server/internal/io_channel.h"

#include <array>
#include <string_view>

#include "http/http1/proxy_protocol.h"
#include "http/transport/socket_address.h"
#include "runtime/result.h"

namespace volt::http::server {
namespace {

std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Task<bool> IoChannel::open_transport() {
  auto opening = transport_->open(socket_);
  const bool open = co_await std::move(opening);
  socket_.expect_more();  // a request may have come with the last of what opened it
  co_return open;
}

Task<bool> IoChannel::read_preamble(const ListenerState& listener_state, std::chrono::nanoseconds limit) {
  const Result<Address> peer = socket_.peer_address();
  if (!peer || !listener_state.trusts(*peer)) co_return false;
  auto reading = read_proxy_header(limit);
  const bool valid = co_await std::move(reading);
  co_return valid;
}

// What follows the header is the client's, so it is looked at where it is and then taken to its last byte only.
Task<bool> IoChannel::read_proxy_header(std::chrono::nanoseconds limit) {
  std::array<std::byte, http1::kProxyV2BytesMax> bytes;
  socket_.set_read_deadline_in(limit);
  for (;;) {
    const Result<void> ready = co_await socket_.readable();
    if (interrupted(ready)) co_return false;  // draining, and it was given its time
    const Result<std::size_t> count = socket_.try_peek(bytes);
    if (would_block(count)) {
      if (timed_out(ready)) co_return false;
      continue;
    }
    if (!count || *count == 0) co_return false;
    const http1::ProxyHeader header = http1::decode_proxy_header(as_text(std::span(bytes).first(*count)));
    if (header.state == http1::ProxyHeader::State::invalid) co_return false;
    if (header.state == http1::ProxyHeader::State::need_more) {
      if (timed_out(ready)) co_return false;
      continue;
    }
    if (socket_.try_read(std::span(bytes).first(header.bytes)) != header.bytes) co_return false;
    if (header.route) {
      const http1::ProxyEndpoint& client = header.route->source;
      named_client_ = std::make_unique<const Address>(transport::socket_address(client.address, client.port));
    }
    co_return true;
  }
}

Result<std::size_t> IoChannel::try_read_secured(std::span<std::byte> into) noexcept {
  const std::scoped_lock lock(using_transport_);
  const Result<std::size_t> count = transport_->try_read(socket_, into);
  if (transport_->has_unread()) socket_.expect_more();
  return count;
}

Result<std::size_t> IoChannel::try_write_secured(std::span<const std::byte> from) noexcept {
  const std::scoped_lock lock(using_transport_);
  return transport_->try_write(socket_, from);
}

// Nobody else reads or writes any more.
void IoChannel::shutdown_write() noexcept {
  if (transport_) transport_->close_notify(socket_);
  socket_.shutdown_write();
}

std::optional<Address> IoChannel::client() const noexcept {
  if (named_client_) return *named_client_;
  const Result<Address> peer = socket_.peer_address();
  return peer ? std::optional(*peer) : std::nullopt;
}

}  // namespace volt::http::server
