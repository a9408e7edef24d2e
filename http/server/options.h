// SPDX-License-Identifier: MIT

// ServerOptions: the limits that an HTTP server sets to its clients. Each limit is on by default.
//
// Threads: a value; the server copies it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "http/http1/limits.h"

namespace volt::http {

struct ServerOptions {
  http1::Limits limits;  // Maximum sizes of a request, with the status of the response beyond each.

  // Maximum time from the first byte of a request to the end of its head; 408 beyond it.
  std::chrono::milliseconds head_timeout = std::chrono::seconds(10);
  // Maximum time between two requests on one connection; beyond it, the connection is closed.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(60);
  // Maximum time in which no byte of a request body or of a response moves. Beyond it, the request gets 408 or the
  // response is aborted.
  std::chrono::milliseconds stall_timeout = std::chrono::seconds(30);
  // Minimum average rate of a request body or of a response, enforced after rate_grace. Below it, the request gets 408
  // or the response is aborted.
  std::size_t rate_bytes_per_second_min = 240;
  std::chrono::milliseconds rate_grace = std::chrono::seconds(5);
  // Maximum time between the last response and the close of the connection, in which the client can read the response.
  std::chrono::milliseconds linger_timeout = std::chrono::seconds(2);
  // Maximum number of bytes that are read and dropped in that time; beyond it, the connection is closed.
  std::size_t linger_bytes_max = 256 * 1024;
  // Responses to pipelined requests are gathered up to this number of bytes before they are sent.
  std::size_t pipelined_bytes_max = 16 * 1024;
  // If true, a client that has closed its sending side (FIN) counts as disconnected, like a client that resets the
  // connection. Its running handler or streamed response is cancelled. Intended for proxies, whose requests cost other
  // servers: most clients that give up merely close. The disadvantage: a client that closes its sending side and then
  // reads gets no response.
  bool half_close_cancels = false;
  // While the server drains: maximum time that an idle connection stays open for another request.
  std::chrono::milliseconds drain_idle_timeout = std::chrono::milliseconds(500);

  // Maximum number of connections. Further connections wait in the backlog, except that one connection per listening
  // socket may already have been accepted. While they wait, idle connections are closed soon (pressure_idle_timeout).
  // 0: the limit of descriptors (RLIMIT_NOFILE) minus those that are open at the start, and minus a tenth of the limit
  // (16 to 512) for files and other uses. Rejected: a 503 and a close. It would cost the busy server more, and would
  // lose clients that can be served after a short wait; nginx, HAProxy and Go's LimitListener let them wait, too.
  std::size_t connections_max = 0;
  // Maximum time between two requests on one connection while other connections wait for a place.
  std::chrono::milliseconds pressure_idle_timeout = std::chrono::milliseconds(500);
  // Maximum number of connections of one client. A client is an IPv4 address or the first 64 bits of an IPv6 address;
  // if the PROXY protocol is used, the address that it names. Further connections are reset. 0: any number, which is
  // the default because many clients share an address behind a NAT or a load balancer.
  std::size_t connections_per_client_max = 0;

  // A request gets 503, before its handler is called, if both are true: it has waited longer than queue_delay_max for
  // its turn, and its worker has had work without a pause for longer than queue_busy_min. So a short burst may queue,
  // but a load that exceeds the workers' capacity may not. The default is generous, because a 503 to a client that
  // would have waited is worse than the wait. 0: no request is refused for its delay.
  std::chrono::milliseconds queue_delay_max = std::chrono::seconds(1);
  std::chrono::milliseconds queue_busy_min = std::chrono::seconds(2);

  // Maximum memory, in bytes, that the process uses. When memory is low, bodies are not read any further and requests
  // with a body get 503. When it is exhausted, all requests get 503, and no connection is accepted
  // (http/server/internal/memory_budget.h). 0: the limit of the cgroup, if it has one.
  std::uint64_t memory_bytes_max = 0;
};

}  // namespace volt::http
