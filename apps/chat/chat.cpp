// SPDX-License-Identifier: MIT

#include "apps/chat/chat.h"

#include <http/http.h>
#include <http/topics/topics.h>

#include <optional>
#include <string>
#include <utility>

#include "apps/chat/page.h"

namespace chat {
namespace {

namespace http = volt::http;
using http::Path;
using http::Query;
using http::State;
using http::Topics;
using http::WebSocket;
using volt::Task;

constexpr std::size_t kNameBytesMax = 40;
constexpr std::size_t kLineBytesMax = 4 * 1024;

struct Visitor {
  std::string name;
  std::optional<std::string> after;  // id of the last line that the visitor has received
};

struct Line {
  std::string name;
  std::string text;
};

Task<> chat(WebSocket& socket, Path<std::string> room, Query<Visitor> visitor, State<Topics<Line>> rooms) {
  const auto& [name, after] = *visitor;
  if (name.empty() || name.size() > kNameBytesMax || room->size() > kNameBytesMax) {
    co_return co_await socket.close(http::CloseCode::policy_violation, "a name must have 1 to 40 bytes");
  }
  auto lines = co_await rooms->subscribe(*room, {.member = name, .after = after.value_or(""), .presence = true});
  const auto say = [&](WebSocket::Message said) -> Task<> {
    co_await rooms->publish(*room, {name, std::move(said.data)});
  };
  co_await http::serve(socket, lines, say);
}

}  // namespace

http::App make_app() {
  http::App app;
  app.state<Topics<Line>>();
  app.get("/", [] { return http::Response::fixed(kPage, "text/html; charset=utf-8"); });
  app.ws("/chat/{room}", {.message_bytes_max = kLineBytesMax}, chat);
  return app;
}

}  // namespace chat
