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
constexpr std::size_t kAnnouncedVisitorsMax = 100;  // a room with more announces neither coming nor leaving

struct Visitor {
  std::string name;
};

struct Line {
  std::string name;
  std::string text;
};

// A visitor's stay in a room. The constructor announces that the visitor has come, and the destructor that the visitor
// has left. Large rooms hear neither: each announcement is a message to every visitor, so n visitors who come would
// cost n * n / 2 messages.
class Visit {
 public:
  Visit(const Rooms::Place& place, std::string name) : place_(place), name_(std::move(name)) { announce("has come"); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() { announce("has left"); }

  void say(std::string text) const { place_.send(http::to_json(Line{name_, std::move(text)})); }

 private:
  void announce(std::string text) const {
    if (place_.visitors() <= kAnnouncedVisitorsMax) say(std::move(text));
  }

  const Rooms::Place& place_;
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
  const Rooms::Place place = rooms->enter(*name);
  auto lines = place.subscribe();
  const Visit visit(place, visitor->name);
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
