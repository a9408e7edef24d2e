// SPDX-License-Identifier: MIT

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

// The bytes after the header are the client's, so the bytes are peeked at, and only those of the header are taken.
Task<bool> IoChannel::read_preamble(const ListenerState& listener_state) {
  const Result<Address> peer = socket_.peer_address();
  if (!peer || !listener_state.trusts(*peer)) co_return false;
  std::array<std::byte, http1::kProxyV2BytesMax> bytes;
  for (;;) {
    const Result<void> ready = co_await socket_.readable();
    if (interrupted(ready)) co_return false;  // the server drains, and has waited long enough
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

std::optional<Address> IoChannel::client() const noexcept {
  if (named_client_) return *named_client_;
  const Result<Address> peer = socket_.peer_address();
  return peer ? std::optional(*peer) : std::nullopt;
}

}  // namespace volt::http::server
