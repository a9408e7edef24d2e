// SPDX-License-Identifier: MIT

// Handlers of WebSockets, for tests.
//
// Threads: any.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "http/server/app.h"
#include "http/websocket/websocket.h"
#include "tests/support/waiting.h"

namespace volt::test {

inline Task<> echo(http::WebSocket& socket) {
  while (const auto message = co_await socket.receive()) {
    co_await (message->text ? socket.send_text(message->data) : socket.send_binary(message->data));
  }
}

// How handlers ended, as the test sees it.
class Endings {
 public:
  void add(const http::WebSocket& socket) {
    const std::scoped_lock lock(mutex_);
    all_.push_back(std::to_string(http::code(socket.close_code())) + socket.close_reason());
  }
  [[nodiscard]] std::string first() const {
    if (!eventually([&] { return count() != 0; })) return "the handler goes on";
    const std::scoped_lock lock(mutex_);
    return all_.front();
  }
  [[nodiscard]] std::size_t count() const {
    const std::scoped_lock lock(mutex_);
    return all_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
};

// Reads until the end, and tells how it came.
inline auto read_to_end(Endings& endings) {
  return [&endings](http::WebSocket& socket) -> Task<> {
    while (co_await socket.receive()) {
    }
    endings.add(socket);
  };
}

http::App app_of(auto handler, http::WebSocketOptions options = {}) {
  http::App app;
  app.ws("/ws", std::move(options), std::move(handler));
  return app;
}

}  // namespace volt::test
