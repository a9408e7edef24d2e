// SPDX-License-Identifier: MIT

// loadtest_server: Volt as one of the peers.
#include <config/run.h>
#include <http/http.h>
#include <http/websocket/websocket.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "loadtest/peers/volt/database.h"

namespace {

using volt::http::Query;
using volt::http::Response;

struct Message {
  std::string message;
};

struct Work {
  int us;
};

Response work(Query<Work> query) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(query->us);
  while (std::chrono::steady_clock::now() < until) {
  }
  return Response::fixed("done", "text/plain");
}

volt::Task<std::string> count_bytes(volt::http::BodyStream body) {
  std::uint64_t bytes = 0;
  for (;;) {
    auto reading = body.read();
    const auto piece = co_await std::move(reading);
    if (!piece) co_return std::to_string(bytes);
    bytes += piece->size();
  }
}

volt::Task<> echo(volt::http::WebSocket& socket) {
  for (;;) {
    auto receiving = socket.receive();
    const auto message = co_await std::move(receiving);
    if (!message) co_return;
    auto sending = message->text ? socket.send_text(message->data) : socket.send_binary(message->data);
    co_await std::move(sending);
  }
}

}  // namespace

int main(int argc, char** argv) {
  volt::http::App app;
  app.get("/plaintext", [] { return Response::fixed("Hello, World!", "text/plain"); });
  app.get("/json", [] { return Message{"Hello, World!"}; });
  app.get("/work", work);
  app.post("/upload", count_bytes);
  app.ws("/websocket", echo);
  if (const char* folder = std::getenv("FILES")) app.files("/static", folder);
  add_database(app);
  volt::config::Config defaults;
  defaults.server.limits.body_bytes_max = 16 << 20;
  return volt::run(app, argc, argv, defaults);
}
