// SPDX-License-Identifier: MIT

// WebSocket: sends and receives messages (RFC 6455); passed to a handler, which runs as long as the connection.
//
//   Task<> chat(WebSocket& socket, Path<std::string> room, State<Rooms> rooms) {
//     while (const auto message = co_await socket.receive()) co_await socket.send_text(message->data);
//   }
//   app.ws("/chat/{room}", {.message_bytes_max = 1_MiB, .deflate = true}, chat);
//
// The middleware around the route runs before the response to the handshake, so it can reject the request. The handler
// is called once the connection is a WebSocket. When the handler returns, the close handshake is performed. Its code is
// 1000, or 1011 if the handler threw, or 1001 if the server drains. The request is destroyed before the handler runs.
// The handler's other parameters are therefore copies (Path, Query, Header) or refer to values that live longer (State,
// From).
//
// receive() processes all events of the connection. While the handler does something else, the socket reads ahead, at
// most about 64 KiB. So pings are answered even then, and a silent peer is sent pings. The handler learns that the peer
// has closed or disconnected, or that the server drains (shuts down), when the handler next receives or sends.
// message() makes a branch of select():
//
//   auto chosen = co_await select(socket.message(), orders.receive());
//   if (chosen.index() == 0) answer(std::get<0>(chosen));
//
// Threads: one task may receive; any number of tasks may send, also during a receive, and their messages do not
// interleave. All these tasks must be children of the handler (all, race, with_scope).
// Lifetime: neither copyable nor movable, valid until the handler returns. Other tasks reach the socket through a
// channel.
// Memory: a waiting WebSocket holds no buffer.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "http/web/argument.h"
#include "http/web/body_writer.h"
#include "http/web/response.h"
#include "http/websocket/protocol/close_code.h"
#include "http/websocket/protocol/websocket_options.h"
#include "runtime/channel.h"
#include "runtime/task.h"

namespace volt::http {

class PreparedMessage;

class WebSocket {
 public:
  struct Message {
    bool text = true;  // If true, `data` is valid UTF-8.
    std::string data;

    bool operator==(const Message&) const = default;
  };

  WebSocket() = default;
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  // The next message; nullopt once the WebSocket is closed by either side or the peer has disconnected. A cancelled
  // call loses no message, and within() returns a message even if it arrives just at the deadline. race(), however,
  // drops the results of the branches that do not win, so it loses a message that arrives just when another branch
  // wins. To wait both for messages and for something else, use select(), or run a loop for each and race() the loops.
  // Throws std::logic_error if another call is pending.
  [[nodiscard]] virtual Task<std::optional<Message>> receive() = 0;

  // Returns what receive() returns, as a branch of select() (runtime/select.h); it can also be awaited. A message is
  // consumed only if this branch is selected. The first call starts a task of the socket, which receives all messages
  // from then on, including those of receive(). If another branch is selected, the task continues until it has a
  // message, which the next call returns. Throws like receive().
  [[nodiscard]] auto message() { return expect_message().receive(); }

  // Sends a message. The call copies the message. The task completes when the kernel has accepted the whole message, so
  // a slow peer makes the sender wait (backpressure). If the task is cancelled, the next receive() or send transmits
  // the rest of the message. The task throws Disconnected if the WebSocket is closed; the exception need not be caught.
  // The call throws std::invalid_argument for text that is not UTF-8.
  [[nodiscard]] virtual Task<> send_text(std::string_view text) = 0;
  [[nodiscard]] virtual Task<> send_binary(std::string_view bytes) = 0;

  // Sends a message that many WebSockets receive (http/websocket/protocol/prepared_message.h). Otherwise as
  // send_text().
  [[nodiscard]] virtual Task<> send(const PreparedMessage& message) = 0;
  // Sends several such messages in one piece: with one system call instead of one for each, and a copy of their bytes.
  [[nodiscard]] virtual Task<> send(std::span<const PreparedMessage> messages) = 0;

  // Closes the WebSocket and ends a pending receive(). Does nothing if the WebSocket is already closed. The call throws
  // std::invalid_argument for a code that may not be sent (http/websocket/protocol/close_code.h), and for a reason of
  // more than 123 bytes or one that is not UTF-8.
  [[nodiscard]] virtual Task<> close(CloseCode code = CloseCode::normal, std::string_view reason = {}) = 0;

  // The protocol chosen from WebSocketOptions::protocols; empty if there is none.
  [[nodiscard]] virtual std::string_view subprotocol() const noexcept = 0;

  // Code and reason of the first close frame that either end sent. CloseCode::abnormal if no close frame was sent:
  // while the WebSocket is open, and after the peer has disconnected without one.
  [[nodiscard]] virtual CloseCode close_code() const = 0;
  [[nodiscard]] virtual std::string close_reason() const = 0;

 protected:
  ~WebSocket() = default;

 private:
  // Requests the next message, unless it has arrived, and returns the channel that will receive it.
  [[nodiscard]] virtual Receiver<Message>& expect_message() = 0;
};

// Returns the 101 response that runs `run`, or a rejection: 426 for a request that is not a handshake, 400 for a
// malformed handshake, 403 for an origin that is not allowed. `options` must be valid as long as the route.
Response respond_with_websocket(Request& request, const WebSocketOptions& options,
                                std::move_only_function<Task<>(WebSocket&)> run);

template <>
struct Extract<WebSocket> {
  static constexpr bool kTakesOver = true;
  static void describe(openapi::Operation& operation) {
    operation.response(Status::switching_protocols);
    operation.refusals({Status::bad_request, Status::forbidden, Status::upgrade_required});
  }

  template <class F>
  static Response respond(Request& request, F run, const WebSocketOptions& options) {
    return respond_with_websocket(request, options, std::move(run));
  }
};

}  // namespace volt::http
