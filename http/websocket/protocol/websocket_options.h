// How a WebSocket route bounds its peers and what it agrees to in the handshake. Each limit is on by default.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace volt::http {

struct WebSocketOptions {
  std::size_t message_bytes_max = 1024 * 1024;  // of one message, all its fragments, inflated; beyond it, close 1009

  bool deflate = false;                 // permessage-deflate (RFC 7692) with the clients that offer it
  bool deflate_context = false;         // with it, windows outlive messages: they shrink more; 300 KiB a connection
  std::size_t deflate_ratio_max = 256;  // inflated bytes per byte of a message, above 1 MiB; beyond it, close 1009

  std::chrono::milliseconds ping = std::chrono::seconds(20);          // of silence, then a ping; zero: never
  std::chrono::milliseconds pong_timeout = std::chrono::seconds(10);  // after a ping, any byte; then the end
  std::chrono::milliseconds close_timeout = std::chrono::seconds(5);  // after our close frame, the peer's; then the end

  std::vector<std::string> protocols =
      {};  // subprotocols, the preferred first; the first that the client offers is chosen

  // Which pages may connect, since a browser sends its cookies with the handshake of any page (RFC 6455 section 10.2):
  // origins as browsers write them, "https://example.com"; "*" is any. Empty: the page's host is the request's Host.
  // A client that sends no Origin is no browser and is let in.
  std::vector<std::string> origins = {};
};

}  // namespace volt::http
