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

  // From the first byte of a request to the end of its head; 408 beyond it.
  std::chrono::milliseconds head_timeout = std::chrono::seconds(10);
  // Between two requests on one connection, which is closed beyond it.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(60);
  // Time in which no byte of a body or of a response moves. Beyond it a request gets 408, and a response is aborted.
  std::chrono::milliseconds stall_timeout = std::chrono::seconds(30);
  // Minimum average rate of a body or of a response, once it has taken rate_grace. Below it the consequence is that of
  // stall_timeout.
  std::size_t rate_bytes_per_second_min = 240;
  std::chrono::milliseconds rate_grace = std::chrono::seconds(5);
  // After the last response, until the connection is closed: the time that the client has to read the response.
  std::chrono::milliseconds linger_timeout = std::chrono::seconds(2);
  std::size_t linger_bytes_max = 256 * 1024;  // Bytes that are read and dropped in that time; it is closed beyond them.
  std::size_t pipelined_bytes_max = 16 * 1024;  // Bytes of responses that are gathered before they are sent.
  // True: a client that has closed its sending side (FIN) counts as disconnected, as a client that resets does. Its
  // handler is cancelled, or the body of the response that is being streamed. For a proxy, whose requests cost other
  // servers: most clients that give up merely close. A client that closes its sending side and then reads gets no
  // response.
  bool half_close_cancels = false;
  // While the server drains: the time in which an idle connection may send another request.
  std::chrono::milliseconds drain_idle_timeout = std::chrono::milliseconds(500);

  // Maximum number of connections. Further connections wait, in the backlog or accepted as the next to be served, and
  // while they wait, idle connections are closed soon (pressure_idle_timeout). Rejected: a 503 and a close. It would
  // cost the busy server more, and would lose clients that can be served after a short wait; nginx, HAProxy and Go's
  // LimitListener let them wait, too. 0: the limit of descriptors (RLIMIT_NOFILE), less those that are open at the
  // start and less a tenth of the limit (16 to 512) for files and the like.
  std::size_t connections_max = 0;
  // Between two requests on one connection, while other connections wait.
  std::chrono::milliseconds pressure_idle_timeout = std::chrono::milliseconds(500);
  // Maximum number of connections of one client address, or of the first 64 bits of an IPv6 address; the address is the
  // one that the PROXY protocol names, where it is used. Further connections are reset, so that they cost nothing. 0:
  // any number, because behind a NAT or a balancer many clients share an address.
  std::size_t connections_per_client_max = 0;

  // A request gets 503, before its handler is called, if it has waited longer than queue_delay_max for its turn while
  // its worker has had work without a pause for longer than queue_busy_min: a burst may queue for a moment, but not a
  // load that exceeds what the workers can do. The default is generous, because a 503 to a client that would have
  // waited is worse than the wait. 0: never.
  std::chrono::milliseconds queue_delay_max = std::chrono::seconds(1);
  std::chrono::milliseconds queue_busy_min = std::chrono::seconds(2);

  // Maximum memory, in bytes, that the process uses. When little is left, bodies are not read any further and requests
  // with a body get 503. When less is left, all requests get 503, and no connection is accepted. 0: the limit of the
  // cgroup, if it has one.
  std::uint64_t memory_bytes_max = 0;
};

}  // namespace volt::http
