// SPDX-License-Identifier: MIT

// ClientConnector: opens the connections of an HttpClient in place of TCP and TLS (ClientOptions::connector). It is for
// tests, whose servers are in the process of the client (http/testing/fake_upstream.h).
//
// Threads: any; several calls may run at once. Lifetime: shared by the clients that use it.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/result.h"
#include "runtime/task.h"
#include "runtime/tcp.h"

namespace volt::http {

class ClientConnector {
 public:
  virtual ~ClientConnector() = default;

  // Opens a connection to the server of a URI: its host, without brackets, and its port. The client speaks HTTP on the
  // stream, with no TLS between, also if the URI's scheme is https. ClientRequest::via() is ignored. `host` is valid
  // until the task ends. An error is that of the request, and is treated as one of connect(2).
  [[nodiscard]] virtual Task<Result<TcpStream>> connect(const std::string& host, std::uint16_t port) = 0;
};

}  // namespace volt::http
