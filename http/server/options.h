// How an HTTP server bounds its clients. Each limit is on by default.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "http/http1/limits.h"

namespace volt::http {

struct ServerOptions {
  http1::Limits limits;  // sizes of a request, with the answer beyond each

  std::chrono::milliseconds head_timeout =
      std::chrono::seconds(10);  // first byte of a request to the end of its head: 408
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(60);   // between two requests on one connection
  std::chrono::milliseconds stall_timeout = std::chrono::seconds(30);  // no byte of a body or an answer moves: the end
  std::size_t rate_bytes_per_second_min = 240;                     // of a body or an answer, on the average, after ..
  std::chrono::milliseconds rate_grace = std::chrono::seconds(5);  // .. this long
  std::chrono::milliseconds linger_timeout = std::chrono::seconds(2);  // after a last answer, for the peer to read it
  std::size_t linger_bytes_max = 256 * 1024;                           // read and dropped meanwhile
  std::size_t pipelined_bytes_max = 16 * 1024;                         // of answers gathered before they are sent
  // A client that has said its last byte (FIN) counts as gone, as one that resets does: its handler is cancelled, and the
  // body of an answer that is streamed. For a proxy, whose requests cost others: most clients that give up merely close.
  // One that closes its half and then reads gets no answer.
  bool half_close_cancels = false;
  std::chrono::milliseconds drain_idle_timeout =
      std::chrono::milliseconds(500);  // draining: idle connections may still ask

  // Connections beyond it wait, in the backlog or as the next to be served, and meanwhile those that idle end soon. They
  // are not answered 503 and closed, which would cost the busy server more, and lose clients that a moment's patience
  // serves: so do nginx, HAProxy and Go's LimitListener. 0: as many as there are descriptors (RLIMIT_NOFILE), less a
  // tenth for files and the like.
  std::size_t connections_max = 0;
  std::chrono::milliseconds pressure_idle_timeout = std::chrono::milliseconds(500);  // between two requests, meanwhile
  // Of one client's address, or of IPv6 its first 64 bits, as the balancer in front names it if one does. Further ones
  // are reset, so that they cost nothing. 0: any number, for behind a NAT or a balancer many clients have one address.
  std::size_t connections_per_client_max = 0;

  // A request is answered 503, before its handler, if it waited longer than this for its turn, while its worker has not
  // been out of work for queue_busy_min: a burst may queue up for a moment, but not a load that is more than the workers
  // can do. Generous, since a 503 to somebody who would have waited is worse than his wait. 0: never.
  std::chrono::milliseconds queue_delay_max = std::chrono::seconds(1);
  std::chrono::milliseconds queue_busy_min = std::chrono::seconds(2);

  // Of memory, in use by the process. Shortly before it no more of bodies is read, and requests that bring one are
  // answered 503; closer still, all requests are, and no connections are accepted. 0: what the cgroup may use, if that
  // is limited.
  std::uint64_t memory_bytes_max = 0;
};

}  // namespace volt::http
