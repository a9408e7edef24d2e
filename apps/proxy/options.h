// SPDX-License-Identifier: MIT

// Options of the proxy. Each is set by the environment variable PROXY_NAME, where NAME stands in the member's comment.
#pragma once

#include <http/transport/client_transport.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace proxy {

struct Options {
  std::vector<std::string> upstreams;  // UPSTREAMS: "http://10.0.0.1:8080,https://b.example"
  std::vector<std::string> hosts;      // HOSTS: host names that are served; others get 421. Empty: any host.
  bool keep_host = true;               // KEEP_HOST=0: requests to upstreams have the upstream's host name in Host
  // TRUST_FORWARDED=1: the clients are trusted proxies, whose Forwarded and X-Forwarded-* fields are kept. Otherwise
  // these fields are dropped from requests, and CLIENT_SHARE applies.
  bool trust_forwarded = false;
  std::vector<std::string> upgrades = {"websocket"};  // UPGRADES: protocols to which a connection may be upgraded

  // Places per upstream. A request has a place for requests until its response begins; while its body or a long
  // response is transferred, whose speed the client decides, it has a place for bodies instead if one is free.
  std::size_t connections_max = 128;                  // CONNECTIONS: places for requests
  std::size_t bodies_max = 256;                       // BODIES: places for bodies
  std::size_t tunnels_max = 1024;                     // TUNNELS: places for upgraded connections
  unsigned client_share = 50;                         // CLIENT_SHARE: percentage of each kind that one client may have
  std::chrono::milliseconds wait{1000};               // WAIT_MS: how long a request waits while all upstreams are busy
  std::uint64_t body_bytes_max = 1ULL << 40;          // BODY_MAX: maximum size of a request body in bytes
  std::size_t tries_max = 3;                          // TRIES: upstreams to which an idempotent request may be sent
  std::chrono::milliseconds connect_timeout{2000};    // CONNECT_MS: connecting to an upstream
  std::chrono::milliseconds response_timeout{30000};  // RESPONSE_MS: end of the request to the response head
  std::chrono::milliseconds transfer_timeout{30000};  // TRANSFER_MS: each wait to receive or send a part of a body

  std::string health_path = "/";                    // HEALTH_PATH: path of health checks; "-": no checks
  std::chrono::milliseconds health_interval{2000};  // HEALTH_MS: pause between two checks of an upstream
  std::chrono::milliseconds health_timeout{1000};   // HEALTH_TIMEOUT_MS: maximum duration of a check
  unsigned rise = 2;                                // RISE: successful checks in a row that make an upstream healthy
  unsigned fall = 3;                                // FALL: failed checks in a row that make it unhealthy
  unsigned failures_max = 3;                        // FAILURES: failed requests in a row after which it is ejected
  std::chrono::milliseconds eject_for{10000};       // EJECT_MS: how long an ejected upstream gets no requests

  std::shared_ptr<volt::http::ClientTransportSource> tls;  // set if an upstream has an https URI
};

// Returns the options. Throws std::invalid_argument if a value is invalid.
[[nodiscard]] Options options_from_environment();

}  // namespace proxy
