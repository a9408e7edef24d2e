// SPDX-License-Identifier: MIT

#include <exception>
#include <memory>
#include <utility>

#include "http/web/problem.h"
#include "http/websocket/internal/websocket_connection.h"
#include "runtime/scope.h"

namespace volt::http {
namespace websocket {
namespace {

class WebSocketUpgrade final : public Upgrade {
 public:
  WebSocketUpgrade(websocket::Acceptance agreed, const WebSocketOptions& options,
                   std::move_only_function<Task<>(WebSocket&)> run)
      : agreed_(std::move(agreed)), options_(options), run_(std::move(run)) {}

  [[nodiscard]] std::string_view protocol() const noexcept override { return "websocket"; }
  [[nodiscard]] Task<> run(UpgradedStream& stream) override {
    WebSocketConnection socket(stream, options_, agreed_);
    const CountAtEnd counts(*this, socket);
    std::exception_ptr failure;
    try {
      co_await run_in_scope(socket);
    } catch (const Disconnected&) {  // Decided: the WebSocket is closed; the handler need not catch this.
    } catch (...) {                  // Decided: close with 1011 first, then rethrow.
      failure = std::current_exception();
    }
    co_await socket.finish(failure ? CloseCode::internal_error : CloseCode::normal);
    if (failure) std::rethrow_exception(failure);
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

  // Runs the handler; when it returns, cancels and joins the tasks that the socket has spawned.
  [[nodiscard]] Task<> run_in_scope(WebSocketConnection& socket) {
    auto body = [this, &socket](Scope& scope) -> Task<> {
      socket.set_scope(scope);
      co_await run_(socket);
      socket.leave_scope();
      scope.cancel();
    };
    return with_scope(std::move(body));
  }

  const websocket::Acceptance agreed_;
  const WebSocketOptions& options_;
  std::move_only_function<Task<>(WebSocket&)> run_;
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
  auto upgrade = std::make_unique<websocket::WebSocketUpgrade>(*std::move(agreed), options, std::move(run));
  Response response = Response::upgrade(std::move(upgrade));
  response.set_headers(fields);
  return response;
}

}  // namespace volt::http
