// SPDX-License-Identifier: MIT

#include "http/websocket/internal/run_handler.h"

#include <exception>

#include "http/web/body_writer.h"
#include "runtime/scope.h"

namespace volt::http::websocket {
namespace {

Task<> run_in_scope(WebSocketConnection& socket, WebSocketHandler& handler) {
  auto body = [&socket, &handler](Scope& scope) -> Task<> {
    socket.set_scope(scope);
    co_await handler(socket);
    socket.leave_scope();
    scope.cancel();
  };
  return with_scope(std::move(body));
}

}  // namespace

Task<> run_handler(WebSocketConnection& socket, WebSocketHandler& handler) {
  std::exception_ptr failure;
  try {
    co_await run_in_scope(socket, handler);
  } catch (const Disconnected&) {  // Decided: the WebSocket is closed; the handler need not catch this.
  } catch (...) {                  // Decided: close with 1011 first, then rethrow.
    failure = std::current_exception();
  }
  co_await socket.finish(failure ? CloseCode::internal_error : CloseCode::normal);
  if (failure) std::rethrow_exception(failure);
}

}  // namespace volt::http::websocket
