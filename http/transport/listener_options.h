// SPDX-License-Identifier: MIT

// Options for the beginning of a connection on a listening address, before HTTP.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace volt::http {

class TransportSource;

struct ListenerOptions {
  // The load balancers that may connect: "10.0.0.0/8" or "192.0.2.1", or "unix:" for any process that can open the unix
  // socket. If the list is not empty, each connection must begin with the header of the PROXY protocol, version 1 or 2,
  // which names the client (ClientAddress, Request::peer()). Connections from other peers and without this header are
  // closed.
  std::vector<std::string> proxy_protocol_from;
  std::shared_ptr<TransportSource> transport;  // null: plain HTTP
  // Maximum number of connections open at a time on this listener, within the server's limit; 0: no separate limit.
  // Beyond it, connections are treated as beyond ServerOptions::connections_max.
  std::size_t connections_max = 0;
};

}  // namespace volt::http
