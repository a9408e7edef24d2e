// SPDX-License-Identifier: MIT

// run_handler: the life of a WebSocket after its opening handshake, at either end.
#pragma once

#include <functional>

#include "http/websocket/internal/websocket_connection.h"
#include "runtime/task.h"

namespace volt::http::websocket {

using WebSocketHandler = std::move_only_function<Task<>(WebSocket&)>;

// Runs the handler; when it has returned, cancels and joins the tasks that the socket has spawned, and performs the
// close handshake: with 1000, or 1011 if the handler threw. Rethrows the handler's exception, except Disconnected.
// Socket and handler must be valid until the task is done.
[[nodiscard]] Task<> run_handler(WebSocketConnection& socket, WebSocketHandler& handler);

}  // namespace volt::http::websocket
