// SPDX-License-Identifier: MIT

// WebSocketOptions: limits and negotiation of a WebSocket route. Each limit is on by default.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace volt::http {

struct WebSocketOptions {
  // Maximum size in bytes of a message: all its fragments, decompressed. A larger message closes the WebSocket with
  // 1009.
  std::size_t message_bytes_max = 1024 * 1024;

  // Accepts permessage-deflate (RFC 7692) from clients that offer it.
  bool deflate = false;
  // With deflate, keeps the compression windows between messages. This compresses better, but costs 300 KiB per
  // connection.
  bool deflate_context = false;
  // Maximum number of decompressed bytes per received byte of a message, which applies to the decompressed bytes beyond
  // 1 MiB. A message that exceeds it closes the WebSocket with 1009.
  std::size_t deflate_ratio_max = 256;

  // A ping is sent when no byte of the peer has been received for this time. Zero: no pings.
  std::chrono::milliseconds ping = std::chrono::seconds(20);
  // Maximum time after a ping until any byte of the peer is received; beyond it, the connection is closed.
  std::chrono::milliseconds pong_timeout = std::chrono::seconds(10);
  // Maximum time after our close frame until the peer's is received; beyond it, the connection is closed.
  std::chrono::milliseconds close_timeout = std::chrono::seconds(5);

  // Subprotocols in order of preference; the first that the client offers is chosen.
  std::vector<std::string> protocols = {};

  // Allowed origins, as browsers write them: "https://example.com"; "*" allows any. Empty: only pages whose host is the
  // request's Host. A browser sends its cookies with the handshake of any page, so pages must be restricted (RFC 6455
  // section 10.2). A client that sends no Origin is not a browser and is allowed.
  std::vector<std::string> origins = {};
};

}  // namespace volt::http
