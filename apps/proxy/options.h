// What the proxy may be told: PROXY_* of the environment, each named beside its member.
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
  std::vector<std::string> hosts;      // HOSTS: names that are served here, others are answered 421; empty: any
  bool keep_host = true;               // KEEP_HOST=0: upstreams are asked by their own names
  // TRUST_FORWARDED=1: another proxy stands in front, and what it says of its client is passed on. Else whoever connects
  // is the client, and what he says of himself in these fields is dropped.
  bool trust_forwarded = false;
  std::vector<std::string> upgrades = {"websocket"};  // UPGRADES: protocols that a connection may go on with

  std::size_t connections_max = 128;                // CONNECTIONS: requests at a time, of each upstream ..
  std::chrono::milliseconds wait{1000};             // WAIT_MS: .. and how long others wait for one of these to be done
  std::uint64_t body_bytes_max = 1ULL << 40;        // BODY_MAX: of a request
  std::size_t tries_max = 3;                        // TRIES: upstreams that an idempotent request may be sent to
  std::chrono::milliseconds connect_timeout{2000};  // CONNECT_MS
  std::chrono::milliseconds response_timeout{30000};  // RESPONSE_MS: from the request's end to the answer's head
  std::chrono::milliseconds transfer_timeout{30000};  // TRANSFER_MS: each wait for more of a body, or for room

  std::string health_path = "/";                    // HEALTH_PATH: asked now and then; "-": never
  std::chrono::milliseconds health_interval{2000};  // HEALTH_MS
  std::chrono::milliseconds health_timeout{1000};   // HEALTH_TIMEOUT_MS
  unsigned rise = 2;                                // RISE: good answers in a row that make an upstream healthy again
  unsigned fall = 3;                                // FALL: bad ones that make it unhealthy
  unsigned failures_max = 3;                        // FAILURES: requests that fail in a row, and it is left alone ..
  std::chrono::milliseconds eject_for{10000};       // EJECT_MS: .. for so long

  std::shared_ptr<volt::http::ClientTransportSource> tls;  // if there are upstreams of https
};

// Throws std::invalid_argument for what makes no sense.
[[nodiscard]] Options options_from_environment();

}  // namespace proxy
