// SPDX-License-Identifier: MIT

// Options of the proxy: the table [proxy] of its configuration (config/program.h).
#pragma once

#include <config/program.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace proxy {

struct HealthOptions {
  std::string path = "/";
  volt::Ranged<std::chrono::milliseconds, 1, 86'400'000> interval = std::chrono::milliseconds(2000);
  std::chrono::milliseconds timeout{1000};
  unsigned rise = 2;
  unsigned fall = 3;

  static constexpr volt::Described descriptions[] = {
      {"path", "Path of health checks; \"-\": no checks"},
      {"interval", "Pause between two checks of an upstream"},
      {"timeout", "Maximum duration of a check"},
      {"rise", "Successful checks in a row that make an upstream healthy"},
      {"fall", "Failed checks in a row that make an upstream unhealthy"},
  };
};

struct Options {
  volt::Length<std::vector<std::string>, 1, 1000> upstreams;
  std::vector<std::string> hosts;
  bool keep_host = true;
  bool trust_forwarded = false;
  std::vector<std::string> upgrades = {"websocket"};

  // Places per upstream. A request has a place for requests until its response begins; while its body or a long
  // response is transferred, whose speed the client decides, it has a place for bodies instead if one is free.
  volt::AtLeast<std::size_t, 1> connections_max = 128u;
  std::size_t bodies_max = 256;
  std::size_t tunnels_max = 1024;
  volt::Ranged<unsigned, 1, 100> client_share = 50u;

  std::chrono::milliseconds wait{1000};
  volt::ByteSize body_bytes_max = 1ULL << 40;
  volt::AtLeast<std::size_t, 1> tries_max = 3u;
  std::chrono::milliseconds connect_timeout{2000};
  std::chrono::milliseconds response_timeout{30000};
  std::chrono::milliseconds transfer_timeout{30000};
  volt::Ranged<std::chrono::milliseconds, 1, 604'800'000> tunnel_idle_timeout = std::chrono::milliseconds(3'600'000);
  unsigned failures_max = 3;
  std::chrono::milliseconds eject_for{10000};
  HealthOptions health = {};

  static constexpr volt::Described descriptions[] = {
      {"upstreams", "URIs of the servers that requests are sent to, such as \"http://10.0.0.1:8080\""},
      {"hosts", "Host names that are served; others get 421; []: any host"},
      {"keep_host", "Whether requests keep the client's Host; false: they have the upstream's host name"},
      {"trust_forwarded",
       "Whether the clients are trusted proxies, whose Forwarded and X-Forwarded-* fields are kept; then client_share "
       "does not apply"},
      {"upgrades", "Protocols to which a connection may be upgraded"},
      {"connections_max", "Places of an upstream for requests"},
      {"bodies_max", "Places of an upstream for bodies"},
      {"tunnels_max", "Places of an upstream for upgraded connections"},
      {"client_share", "Percentage of each kind of places that one client may have"},
      {"wait", "How long a request waits while all upstreams are busy"},
      {"body_bytes_max", "Maximum size of a request body"},
      {"tries_max", "Number of upstreams to which an idempotent request may be sent"},
      {"connect_timeout", "Maximum time to connect to an upstream"},
      {"response_timeout", "Maximum time from the end of a request to the response head"},
      {"transfer_timeout", "Maximum time of each wait to receive or send a part of a body"},
      {"tunnel_idle_timeout", "Maximum time in which neither side of an upgraded connection sends anything"},
      {"failures_max", "Failed requests in a row after which an upstream is ejected"},
      {"eject_for", "How long an ejected upstream gets no requests"},
  };
};

}  // namespace proxy
