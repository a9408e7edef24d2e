// WebSocket: messages both ways, RFC 6455; in the hands of a handler, which lasts as long as the conversation.
//
//   Task<> chat(WebSocket& socket, Path<std::string> room, State<Rooms> rooms) {
//     while (const auto message = co_await socket.receive()) co_await socket.send_text(message->data);
//   }
//   app.ws("/chat/{room}", {.message_bytes_max = 1_MiB, .deflate = true}, chat);
//
// The middleware around the route runs before the handshake is answered, so it can refuse. The handler is called once
// the connection is a WebSocket; when it returns the close handshake is done: 1000, 1011 if it threw, 1001 while the
// server drains. The request is gone by then: the handler has values of its own, State and From.
//
// receive() is what notices things: it answers pings, sends them to a silent peer, learns of the peer's end and of the
// server's. A handler that does not await it learns of an end only when it sends. message() is the same for select():
//
//   auto chosen = co_await select(socket.message(), orders.receive());
//   if (chosen.index() == 0) answer(std::get<0>(chosen));
//
// Threads: one task receives; any number send, also while it does: messages do not interleave. All of them are the
// handler's children (all, race, with_scope).
// Lifetime: not copied, not moved, valid until the handler returns. Others reach it through a channel.
// Memory: while it waits it holds no buffer.
#pragma once

#include <functional>
#include <optional>
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

class WebSocket {
 public:
  struct Message {
    bool text = true;  // valid UTF-8 then
    std::string data;

    bool operator==(const Message&) const = default;
  };

  WebSocket() = default;
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  // The next message; none once the WebSocket is closed, by either side or because the peer has gone. A cancelled call
  // loses no message, and within() gives one that comes at the last moment. But race() drops what its losers return: a
  // message that comes just as another wins is lost. Who waits for messages and something else selects, or has a loop for
  // each and races the loops. Throws std::logic_error if a call is under way already.
  [[nodiscard]] virtual Task<std::optional<Message>> receive() = 0;

  // To be awaited or a branch of select() (runtime/select.h): what receive() gives, and taken only if it is given. The first
  // call starts a task of the socket's own, which from then on does what receive() does, for both; it goes on while
  // something else was selected, until it has a message, and keeps that for the next call. Throws as receive() does.
  [[nodiscard]] auto message() { return expect_message().receive(); }

  // Each takes the message when it is called; the task is done when the kernel has all of it, which is the backpressure.
  // One that is cancelled leaves the rest to the next receive() or send. The task throws Disconnected if the WebSocket is
  // closed; nobody has to catch it. The call throws std::invalid_argument for text that is not UTF-8.
  [[nodiscard]] virtual Task<> send_text(std::string_view text) = 0;
  [[nodiscard]] virtual Task<> send_binary(std::string_view bytes) = 0;

  // Ends it, and a receive() that is under way; does nothing if it is closed. The call throws std::invalid_argument for a code
  // that may not be sent (http/websocket/protocol/close_code.h), a reason of more than 123 bytes or one that is not UTF-8.
  [[nodiscard]] virtual Task<> close(CloseCode code = CloseCode::normal, std::string_view reason = {}) = 0;

  // What was chosen of WebSocketOptions::protocols; empty: none.
  [[nodiscard]] virtual std::string_view subprotocol() const noexcept = 0;

  // Why it is closed: what the first close frame said, the peer's or ours. CloseCode::abnormal as long as there is none,
  // and if the peer went without one.
  [[nodiscard]] virtual CloseCode close_code() const = 0;
  [[nodiscard]] virtual std::string close_reason() const = 0;

 protected:
  ~WebSocket() = default;

 private:
  // Asks for the next message, if it is not there, and says where it will be.
  [[nodiscard]] virtual Receiver<Message>& expect_message() = 0;
};

// 101 and then `run`, or a refusal: 426 for a request that is no handshake, 400 for a malformed one, 403 for an origin
// that is not allowed. `options` are valid as long as the route.
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
