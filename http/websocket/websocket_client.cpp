// SPDX-License-Identifier: MIT

#include "http/websocket/websocket_client.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string_view>

#include "http/client/client.h"
#include "http/client/client_stream.h"
#include "http/message/ascii.h"
#include "http/websocket/internal/client_upgraded_stream.h"
#include "http/websocket/internal/run_handler.h"
#include "http/websocket/internal/websocket_connection.h"
#include "http/websocket/protocol/client_handshake.h"

namespace volt::http {
namespace websocket {
namespace {

bool begins_with(std::string_view text, std::string_view prefix) noexcept {
  return message::equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

// The handshake of a ws URI is an http request to the same authority (RFC 6455 section 3).
std::string http_uri(std::string uri) {
  if (begins_with(uri, "ws:") || begins_with(uri, "wss:")) uri.replace(0, 2, "http");
  return uri;
}

ClientRequest handshake_request(std::string uri, const ClientHandshake& handshake,
                                const WebSocketClientOptions& options) {
  ClientRequest request(Method::get, http_uri(std::move(uri)));
  for (const auto& [name, value] : options.headers) {
    if (begins_with(name, "sec-websocket-")) {
      throw std::invalid_argument("with_websocket() writes the field " + name +
                                  " itself: use WebSocketClientOptions::protocols and deflate");
    }
    request.add_header(name, value);
  }
  for (const auto& [name, value] : handshake.fields()) request.header(name, value);
  request.upgrade("websocket");
  if (options.deadline) request.deadline(*options.deadline);
  if (options.via) request.via(*options.via);
  return request;
}

// Returns the part of the response's body that a failure keeps.
Task<std::string> read_kept_body(ClientResponse& response) {
  std::string body;
  while (body.size() < WebSocketFailure::kBodyBytesMax) {
    const Result<std::optional<std::string_view>> piece = co_await response.next();
    if (!piece || !*piece) break;
    body += (*piece)->substr(0, WebSocketFailure::kBodyBytesMax - body.size());
  }
  co_return body;
}

Task<WebSocketFailure> failure_of(ClientResponse& response, WebSocketError error) {
  WebSocketFailure failure{.error = error, .status = response.status(), .headers = {}, .body = {}};
  for (const Field& field : response.headers()) failure.headers.add(field.name, field.value);
  if (response.status() != Status::switching_protocols) failure.body = co_await read_kept_body(response);
  co_return failure;
}

struct Connected {
  std::unique_ptr<ClientStream> stream;
  Agreement agreement;
};

// Performs the opening handshake. The response is destroyed when this task is done, and with it its buffer.
Task<std::expected<Connected, WebSocketFailure>> connect(HttpClient& client, std::string uri,
                                                         const WebSocketClientOptions& options) {
  const ClientHandshake handshake{.key = random_key(),
                                  .protocols = options.protocols,
                                  .deflate = options.deflate,
                                  .deflate_context = options.deflate_context};
  ClientRequest request = handshake_request(std::move(uri), handshake, options);
  Result<ClientResponse> response = co_await client.send(std::move(request));
  if (!response) {
    co_return std::unexpected(WebSocketFailure{.error = response.error(), .status = {}, .headers = {}, .body = {}});
  }
  auto agreed = check_response(handshake, response->status(), response->headers());
  if (agreed) co_return Connected{.stream = response->take_stream(), .agreement = *std::move(agreed)};
  WebSocketFailure failure = co_await failure_of(*response, agreed.error());
  co_return std::unexpected(std::move(failure));
}

// The options that the ends of a connection share.
WebSocketOptions connection_options(const WebSocketClientOptions& options) {
  return {.message_bytes_max = options.message_bytes_max,
          .deflate = options.deflate,
          .deflate_context = options.deflate_context,
          .deflate_ratio_max = options.deflate_ratio_max,
          .ping = options.ping,
          .pong_timeout = options.pong_timeout,
          .close_timeout = options.close_timeout};
}

}  // namespace
}  // namespace websocket

std::string WebSocketFailure::to_string() const {
  std::string text = error.message();
  if (error == WebSocketError::refused && status) text += ": status " + std::to_string(code(*status));
  return text;
}

Task<std::expected<void, WebSocketFailure>> with_websocket(HttpClient& client, std::string uri,
                                                           WebSocketClientOptions options,
                                                           std::move_only_function<Task<>(WebSocket&)> handler) {
  auto connected = co_await websocket::connect(client, std::move(uri), options);
  if (!connected) co_return std::unexpected(std::move(connected.error()));
  const WebSocketOptions shared = websocket::connection_options(options);
  websocket::ClientUpgradedStream stream(std::move(connected->stream), options.send_timeout);
  websocket::WebSocketConnection socket(stream, shared, websocket::Role::client, connected->agreement);
  co_await websocket::run_handler(socket, handler);
  co_return std::expected<void, WebSocketFailure>();
}

}  // namespace volt::http
