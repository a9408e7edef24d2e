// SPDX-License-Identifier: MIT

#include "apps/chat/chat.h"

#include <http/http.h>
#include <runtime/concurrent.h>

#include <string>
#include <utility>

#include "apps/chat/page.h"
#include "apps/chat/rooms.h"

namespace chat {
namespace {

namespace http = volt::http;
using http::Path;
using http::Query;
using http::State;
using http::WebSocket;
using volt::Subscriber;
using volt::Task;

constexpr std::size_t kNameBytesMax = 40;
constexpr std::size_t kLineBytesMax = 4 * 1024;

struct Visitor {
  std::string name;
};

struct Line {
  std::string name;
  std::string text;
};

// A visitor's stay in a room. The constructor announces that the visitor has come, and the destructor that the visitor
// has left.
class Visit {
 public:
  Visit(const Room& room, std::string name) : room_(room), name_(std::move(name)) { say("has come"); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() { say("has left"); }

  void say(std::string text) const { room_.send(http::to_json(Line{name_, std::move(text)})); }

 private:
  const Room& room_;
  const std::string name_;
};

Task<> speak(WebSocket& socket, const Visit& visit) {
  while (auto message = co_await socket.receive()) visit.say(std::move(message->data));
}

Task<> listen(WebSocket& socket, Subscriber<std::string>& lines) {
  while (const auto line = co_await lines.receive()) co_await socket.send_text(*line->value);
}

Task<> chat(WebSocket& socket, Path<std::string> name, Query<Visitor> visitor, State<Rooms> rooms) {
  if (visitor->name.empty() || visitor->name.size() > kNameBytesMax) {
    co_await socket.close(http::CloseCode::policy_violation, "a name must have 1 to 40 bytes");
    co_return;
  }
  const auto room = rooms->enter(*name);
  auto lines = room->subscribe();
  const Visit visit(*room, visitor->name);
  co_await volt::race([&] { return speak(socket, visit); }, [&] { return listen(socket, lines); });
}

}  // namespace

http::App make_app() {
  http::App app;
  app.state<Rooms>();
  app.get("/", [] { return http::Response::fixed(kPage, "text/html; charset=utf-8"); });
  app.ws("/chat/{room}", {.message_bytes_max = kLineBytesMax}, chat);
  return app;
}

}  // namespace chat
