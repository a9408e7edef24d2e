// SPDX-License-Identifier: MIT

// ListenerState: the ListenerOptions of one listener after validation. They say how its connections begin (PROXY
// header, transport) and how many of them may be open.
//
// Threads: any. Lifetime: shared by the listener and its connections.
#pragma once

#include <memory>
#include <vector>

#include "http/message/cidr.h"
#include "http/transport/listener_options.h"
#include "http/transport/transport.h"
#include "runtime/address.h"
#include "runtime/semaphore.h"

namespace volt::http::server {

class ListenerState {
 public:
  // Throws std::invalid_argument for a malformed ListenerOptions::proxy_protocol_from.
  explicit ListenerState(ListenerOptions options);

  // True if each connection begins with a header of the PROXY protocol.
  [[nodiscard]] bool behind_proxy() const noexcept { return unix_proxies_ || !proxies_.empty(); }
  // True if `peer` is trusted to send a header of the PROXY protocol.
  [[nodiscard]] bool trusts(const Address& peer) const noexcept;
  // Makes the transport of a connection; null for plain HTTP. `socket` must outlive it.
  [[nodiscard]] std::unique_ptr<Transport> make_transport(TcpStream& socket) const {
    return transport_ ? transport_->make(socket) : nullptr;
  }

  Semaphore connections;  // a permit for each open connection of the listener

 private:
  std::vector<message::Cidr> proxies_;
  bool unix_proxies_ = false;
  std::shared_ptr<TransportSource> transport_;
};

}  // namespace volt::http::server
