// SPDX-License-Identifier: MIT

#include "http/server/internal/listener_state.h"

#include <sys/socket.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "http/server/internal/overload.h"
#include "http/transport/socket_address.h"

namespace volt::http::server {

ListenerState::ListenerState(ListenerOptions options)
    : connections(permits_for(options.connections_max)), transport_(std::move(options.transport)) {
  for (const std::string& block : options.proxy_protocol_from) {
    if (block == "unix:") {
      unix_proxies_ = true;
      continue;
    }
    const auto parsed = message::Cidr::parse(block);
    if (!parsed)
      throw std::invalid_argument("proxy_protocol_from: not an address block (such as 10.0.0.0/8): " + block);
    proxies_.push_back(*parsed);
  }
}

bool ListenerState::trusts(const Address& peer) const noexcept {
  if (peer.family() == AF_UNIX) return unix_proxies_;
  const auto ip = transport::ip_of(peer);
  return ip && std::ranges::any_of(proxies_, [&](const message::Cidr& block) { return block.contains(*ip); });
}

}  // namespace volt::http::server
