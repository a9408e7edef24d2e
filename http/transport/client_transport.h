// ClientTransportSource: what lies between a client's connections and their servers, such as TLS:
// tls::client_transport() of config/tls/tls.h makes one.
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

  // Of a connection to the server of that name, or address: without its port, an IPv6 address without its brackets.
  [[nodiscard]] virtual std::unique_ptr<Transport> make(const std::string& host) = 0;
};

}  // namespace volt::http
