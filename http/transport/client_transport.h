// SPDX-License-Identifier: MIT

// ClientTransportSource: makes the transports, such as TLS, between a client's connections and their servers.
// tls::client_transport() of config/tls/tls.h makes a source for TLS.
//
// Threads: any. Lifetime: shared by the clients that use it.
#pragma once

#include <memory>
#include <string>

#include "http/transport/transport.h"

namespace volt::http {

class ClientTransportSource {
 public:
  virtual ~ClientTransportSource() = default;

  // Makes the transport of a connection to `host`, which is a name or an address. `host` contains no port, and an IPv6
  // address has no brackets. `socket` must outlive it.
  [[nodiscard]] virtual std::unique_ptr<Transport> make(TcpStream& socket, const std::string& host) = 0;
};

}  // namespace volt::http
