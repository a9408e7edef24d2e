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
  // response is aborted. A handler that cancels its reads or writes and repeats them, as with within(), does not extend
  // this time.
  std::chrono::milliseconds stall_timeout = std::chrono::seconds(30);
  // Minimum average rate of a request body or of a response, enforced after rate_grace. Below it, the request gets 408
  // or the response is aborted. A peer that pauses when it has transferred little is therefore ended before
  // stall_timeout has passed: with the defaults, after 5 s without a byte. For live uploads and slow sensors set it to
  // 0, so that only stall_timeout applies.
  std::size_t rate_bytes_per_second_min = 240;
  std::chrono::milliseconds rate_grace = std::chrono::seconds(5);
  // Maximum time between the last response and the close of the connection. In this time the server reads and discards
  // what the client still sends, however much that is. Otherwise the kernel would reset the connection, and a client
  // that sends its whole request before it reads, as most do, would never see the response. The maximum is lower while
  // the server drains, or while other connections wait for a place.
  std::chrono::milliseconds linger_timeout = std::chrono::seconds(30);
  // Maximum time without data from the client in that time; beyond it, the connection is closed.
  std::chrono::milliseconds linger_idle_timeout = std::chrono::seconds(5);
  // Responses to pipelined requests are gathered up to this number of bytes before they are sent.
  std::size_t pipelined_bytes_max = 16 * 1024;
  // If true, a client that has closed its sending side (FIN) counts as disconnected, like a client that resets the
  // connection: its running handler or streamed response is cancelled, as most clients that give up merely close. A
  // client that closes its sending side and then reads (nc -N) still gets these responses: one whose handler need not
  // wait; a file; and, if several requests were received together, those to all but the last.
  // If false, it gets every response, and a client that merely closes is noticed when the response is sent.
  bool half_close_cancels = true;
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

  // A request is late if all of this is true: it has waited longer than queue_delay_max for its turn, its worker has
  // had work without a pause for longer than queue_busy_min, and the tasks behind it need at least an eighth of
  // queue_delay_max. So a short burst may queue, and a server that other processes keep from the processors serves the
  // few requests that it has. The time that a new connection has waited in the backlog is a part of the wait.
  // Late requests get 503 before their handler is called: of long requests nearly all, but only as many as bring a
  // worker's average time for a request, refused ones included, down to 50 us, because to refuse short requests saves
  // little. So with more than 2,000 busy connections for each worker, requests may wait for longer than
  // queue_delay_max, for about 50 us times that number. 0: no request is refused for its delay.
  // With the default, clients of an overloaded server do not wait long for a refusal. The default equals the period of
  // the kernel's CPU quotas, so a container that has waited for its next period does not refuse requests for this
  // alone.
  std::chrono::milliseconds queue_delay_max = std::chrono::milliseconds(100);
  std::chrono::milliseconds queue_busy_min = std::chrono::milliseconds(200);
  // A request of a heavy route (http/web/group.h, Route::heavy) gets 503 if such requests wait for a thread for longer
  // than queue_delay_max and longer than four times the time that their handlers take. These requests take long anyway,
  // so they may wait longer than others, but never longer than heavy_delay_max. While requests of heavy routes are
  // being refused, a fifth of queue_delay_max takes its place (http/server/internal/overload.h). 0: no request is
  // refused for this reason.
  std::chrono::milliseconds heavy_delay_max = std::chrono::seconds(5);

  // Maximum memory, in bytes, that the process uses. When memory is low, bodies are not read any further and requests
  // with a body get 503. When it is exhausted, all requests get 503, and no connection is accepted
  // (http/server/internal/memory_budget.h). 0: the limit of the cgroup, or without one, seven eighths of the machine's
  // memory.
  std::uint64_t memory_bytes_max = 0;
};

}  // namespace volt::http
