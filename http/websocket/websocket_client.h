// SPDX-License-Identifier: MIT

// with_websocket: connects to a WebSocket server (RFC 6455) and runs a handler, as App::ws() does on the server.
//
//   HttpClient client({.tls = tls::client_transport()});
//   const auto ask = [](WebSocket& socket) -> Task<> {
//     co_await socket.send_text("hello");
//     while (const auto message = co_await socket.receive()) print(message->data);
//   };
//   const auto done = co_await with_websocket(client, "wss://chat.example/room", {.protocols = {"chat"}}, ask);
//   if (!done) log(done.error().to_string());
//
// The handler runs as long as the connection, with the WebSocket of http/websocket/websocket.h. So the same handler can
// serve both ends: receive(), message(), send_text() and close() do what they do on the server, pings are answered
// while the handler does not receive, and a silent server is sent pings. When the handler returns, the close handshake
// is performed: with 1000, or 1011 if the handler threw. The handler learns from receive() that the server has closed
// or disconnected; WebSocket::close_code() then says why: 1006 if the connection was lost, 1002 if the server violated
// the protocol, 1009 if a message was larger than message_bytes_max. To connect again is the caller's decision.
//
// The handshake is a request of the HttpClient, with its connection and response timeouts, TLS, redirects, retries,
// circuit breaker, metrics and traces. The open WebSocket counts neither for ClientOptions::concurrency nor for
// whole_timeout. The masks of the frames are from the kernel's random generator (RFC 6455 section 10.3).
//
// Rejected: a WebSocket object that the caller owns. The tasks that answer pings in the background must be joined
// before the connection ends, and a destructor cannot wait.
//
// Threads: any number of tasks may use one client at once; in a handler, as for WebSocket.
// Lifetime: the client must outlive the call. The socket is valid until the handler returns.
// Cancellation: cancels the connection attempt, or the handler; the connection is then closed without a close
// handshake, so the server sees 1006. within() bounds the whole call, and WebSocketClientOptions::deadline the
// handshake.
// Memory: as on the server; a waiting WebSocket holds no buffer.
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "http/message/headers.h"
#include "http/message/status.h"
#include "http/websocket/protocol/websocket_error.h"
#include "http/websocket/websocket.h"
#include "runtime/address.h"
#include "runtime/deadline.h"
#include "runtime/task.h"

namespace volt::http {

class HttpClient;

struct WebSocketClientOptions {
  // Fields of the handshake, such as Authorization or Origin; name and value. The fields Sec-WebSocket-* and those of
  // the connection are not permitted.
  std::vector<std::pair<std::string, std::string>> headers = {};
  // Offered subprotocols in order of preference. The server chooses one, or none: WebSocket::subprotocol().
  std::vector<std::string> protocols = {};

  // Maximum size in bytes of a received message: all its fragments, decompressed. A larger message closes the WebSocket
  // with 1009.
  std::size_t message_bytes_max = 1024 * 1024;

  // Offers permessage-deflate (RFC 7692).
  bool deflate = false;
  // With deflate, permits both ends to keep their compression windows between messages. This compresses better, but
  // costs 300 KiB per connection. If false, a server that keeps its window is rejected.
  bool deflate_context = false;
  // Maximum number of decompressed bytes per received byte of a message, which applies to the decompressed bytes beyond
  // 1 MiB. A message that exceeds it closes the WebSocket with 1009.
  std::size_t deflate_ratio_max = 256;

  // A ping is sent when no byte of the server has been received for this time. Zero: no pings.
  std::chrono::milliseconds ping = std::chrono::seconds(20);
  // Maximum time after a ping until any byte of the server is received; beyond it, the connection is closed.
  std::chrono::milliseconds pong_timeout = std::chrono::seconds(10);
  // Maximum time of the close handshake, and until the server then closes the connection.
  std::chrono::milliseconds close_timeout = std::chrono::seconds(5);
  // Maximum time of each wait for the server to accept bytes; beyond it, the connection is closed.
  std::chrono::milliseconds send_timeout = std::chrono::seconds(30);

  // Bounds the handshake, if the client's timeouts do not end earlier. The WebSocket may stay open for longer.
  std::optional<Deadline> deadline = {};
  // Connects to this address instead of the URI's host and port, for example to a unix socket.
  std::optional<Address> via = {};
};

// Why there is no WebSocket.
struct WebSocketFailure {
  // Maximum size of `body`; the rest is not read.
  static constexpr std::size_t kBodyBytesMax = std::size_t{64} * 1024;

  std::error_code error;         // WebSocketError, or an error of HttpClient::send()
  std::optional<Status> status;  // the response's status; none if there was no response
  FieldList headers;             // the response's fields
  std::string body;              // the response's body, at most kBodyBytesMax bytes of it; as much as was received

  // Returns a sentence, such as "the server refused the WebSocket: status 403".
  [[nodiscard]] std::string to_string() const;
};

// Connects to `uri`, which is ws://host[:port]/path?query or wss://..; http and https are accepted as well. Runs
// `handler` once the connection is a WebSocket, and returns when the connection has ended. Returns a failure if the
// handler was not called. Rethrows an exception of the handler, except Disconnected. Throws std::invalid_argument if
// `options.headers` or `options.protocols` are invalid.
[[nodiscard]] Task<std::expected<void, WebSocketFailure>> with_websocket(
    HttpClient& client, std::string uri, WebSocketClientOptions options,
    std::move_only_function<Task<>(WebSocket&)> handler);

}  // namespace volt::http
