// How connections of one listening address begin, before HTTP.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "http/transport/transport.h"

namespace volt::http {

struct ListenerOptions {
  // The load balancers that connect, "10.0.0.0/8" or "192.0.2.1", or "unix:" for whoever may open a unix socket. If there
  // are any, each connection begins with the header of the PROXY protocol, version 1 or 2, that names the client
  // (ClientAddress, Request::peer()); whoever else connects, or sends no such header, is turned away.
  std::vector<std::string> proxy_protocol_from;
  std::shared_ptr<TransportSource> transport;  // none: HTTP as it is
  // Open at a time, of those that the server may have; 0: all of them. Beyond it: as ServerOptions::connections_max.
  std::size_t connections_max = 0;
};

}  // namespace volt::http
