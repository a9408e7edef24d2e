// SPDX-License-Identifier: MIT

// loadtest_server: Volt as one of the peers.
#include <config/run.h>
#include <http/http.h>
#include <http/topics/topics.h>
#include <http/websocket/websocket.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "loadtest/peers/volt/database.h"
#include "loadtest/peers/volt/heavy.h"
#include "loadtest/peers/volt/routes.h"

namespace {

using volt::http::Response;
using Texts = volt::http::Topics<std::string>;

struct Message {
  std::string message;
};

volt::Task<std::string> count_bytes(volt::http::BodyStream body) {
  std::uint64_t bytes = 0;
  while (const auto piece = co_await body.read()) bytes += piece->size();
  co_return std::to_string(bytes);
}

volt::Task<> echo(volt::http::WebSocket& socket) {
  while (const auto message = co_await socket.receive()) {
    co_await (message->text ? socket.send_text(message->data) : socket.send_binary(message->data));
  }
}

// Sends what a client says to all clients.
volt::Task<> publish(volt::http::WebSocket& socket, volt::http::State<Texts> texts) {
  auto subscription = co_await texts->subscribe("all");
  co_await serve(socket, subscription, [&](volt::http::WebSocket::Message said) -> volt::Task<> {
    co_await texts->publish("all", std::move(said.data));
  });
}

}  // namespace

int main(int argc, char** argv) {
  volt::http::App app;
  app.get("/plaintext", [] { return Response::fixed("Hello, World!", "text/plain"); });
  app.get("/json", [] { return Message{"Hello, World!"}; });
  app.post("/upload", count_bytes);
  app.ws("/websocket", echo);
  app.state<Texts>(volt::http::TopicOptions{.format = volt::http::TopicFormat::plain});
  app.ws("/topic", publish);
  if (const char* folder = std::getenv("FILES")) app.files("/static", folder);
  add_database(app);
  add_heavy(app);
  add_routes(app);
  volt::config::Config defaults;
  defaults.server.limits.body_bytes_max = 16 << 20;
  return volt::run(app, argc, argv, defaults);
}
