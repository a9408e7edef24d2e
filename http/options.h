// How an HTTP server bounds its clients. Each limit is on by default.
#pragma once

#include <chrono>
#include <cstddef>

#include "http/codec/limits.h"

namespace volt::http {

struct ServerOptions {
  codec::Limits limits;  // sizes of a request, with the answer beyond each

  std::chrono::milliseconds head_timeout =
      std::chrono::seconds(10);  // first byte of a request to the end of its head: 408
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(60);   // between two requests on one connection
  std::chrono::milliseconds stall_timeout = std::chrono::seconds(30);  // no byte of a body or an answer moves: the end
  std::size_t rate_bytes_per_second_min = 240;                     // of a body or an answer, on the average, after ..
  std::chrono::milliseconds rate_grace = std::chrono::seconds(5);  // .. this long
  std::chrono::milliseconds linger_timeout = std::chrono::seconds(2);  // after a last answer, for the peer to read it
  std::size_t linger_bytes_max = 256 * 1024;                           // read and dropped meanwhile
  std::size_t pipelined_bytes_max = 16 * 1024;                         // of answers gathered before they are sent
  std::chrono::milliseconds drain_linger = std::chrono::milliseconds(500);  // draining: idle connections may still ask
};

}  // namespace volt::http
