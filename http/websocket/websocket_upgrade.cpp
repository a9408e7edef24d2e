// SPDX-License-Identifier: MIT

#include <memory>
#include <utility>

#include "http/web/problem.h"
#include "http/websocket/internal/run_handler.h"
#include "http/websocket/internal/websocket_connection.h"
#include "http/websocket/protocol/handshake.h"

namespace volt::http {
namespace websocket {
namespace {

class WebSocketUpgrade final : public Upgrade {
 public:
  WebSocketUpgrade(websocket::Agreement agreed, const WebSocketOptions& options, WebSocketHandler handler)
      : agreed_(std::move(agreed)), options_(options), handler_(std::move(handler)) {}

  [[nodiscard]] std::string_view protocol() const noexcept override { return "websocket"; }
  [[nodiscard]] Task<> run(UpgradedStream& stream) override {
    WebSocketConnection socket(stream, options_, Role::server, agreed_);
    const CountAtEnd counts(*this, socket);
    co_await run_handler(socket, handler_);
  }

  [[nodiscard]] std::optional<MessageCounts> messages() const noexcept override { return counts_; }

 private:
  // Keeps the counts of a connection that ends, also if its task is cancelled.
  class CountAtEnd {
   public:
    CountAtEnd(WebSocketUpgrade& upgrade, const WebSocketConnection& socket) noexcept
        : upgrade_(upgrade), socket_(socket) {}
    ~CountAtEnd() { upgrade_.counts_ = socket_.counts(); }
    CountAtEnd(const CountAtEnd&) = delete;
    CountAtEnd& operator=(const CountAtEnd&) = delete;

   private:
    WebSocketUpgrade& upgrade_;
    const WebSocketConnection& socket_;
  };

  const websocket::Agreement agreed_;
  const WebSocketOptions& options_;
  WebSocketHandler handler_;
  MessageCounts counts_;
};

// Accepts or rejects the handshake. Rejects a request with a body, because the body would be read as frames.
std::expected<websocket::Acceptance, websocket::Refusal> respond_to_request(Request& request,
                                                                            const WebSocketOptions& options) {
  if (!request.has_whole_body()) {
    return std::unexpected(websocket::Refusal{Status::bad_request, "a WebSocket handshake must not have a body"});
  }
  return websocket::accept_handshake({.method = request.method(),
                                      .version = request.version(),
                                      .target = request.target(),
                                      .path = request.path(),
                                      .query = request.query(),
                                      .host = request.host(),
                                      .fields = request.headers()},
                                     options);
}

}  // namespace
}  // namespace websocket

Response respond_with_websocket(Request& request, const WebSocketOptions& options,
                                std::move_only_function<Task<>(WebSocket&)> run) {
  auto agreed = websocket::respond_to_request(request, options);
  if (!agreed) {
    Response response = Problem(agreed.error().status, std::string(agreed.error().why)).to_response(request.id());
    response.set_headers(agreed.error().fields());
    return response;
  }
  FieldList fields = agreed->fields();
  fields.remove("Upgrade");  // The encoder writes Upgrade and Connection.
  fields.remove("Connection");
  websocket::Agreement agreement{.protocol = std::move(agreed->protocol), .deflate = agreed->deflate};
  auto upgrade = std::make_unique<websocket::WebSocketUpgrade>(std::move(agreement), options, std::move(run));
  Response response = Response::upgrade(std::move(upgrade));
  response.set_headers(fields);
  return response;
}

}  // namespace volt::http
