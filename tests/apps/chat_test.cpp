// SPDX-License-Identifier: MIT

#include "apps/chat/chat.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <deque>
#include <string>

#include "http/testing/test_client.h"
#include "tests/apps/on_test_engine.h"

namespace chat {
namespace {

namespace http = volt::http;
using test::on_test_engine;

std::string line(const std::string& name, const std::string& text) {
  return R"("data":{"name":")" + name + R"(","text":")" + text + R"("}})";
}

std::string joined(const std::string& name) { return R"({"joined":")" + name + R"("})"; }
std::string left(const std::string& name) { return R"({"left":")" + name + R"("})"; }

// Returns the next message, and its id in `id`, without the part that is a number of this run.
std::string hear(http::TestWebSocket& socket, std::string* id = nullptr) {
  std::string text = socket.receive().payload;
  constexpr std::string_view kBegin = R"({"id":")";
  if (!text.starts_with(kBegin)) return text;
  const std::size_t end = text.find('"', kBegin.size());
  if (id != nullptr) *id = text.substr(kBegin.size(), end - kBegin.size());
  return text.substr(end + 2);
}

}  // namespace

TEST_SUITE_BEGIN("apps/chat");

TEST_CASE("everybody in a room hears who comes, what is said and who leaves") {
  http::TestClient client(make_app(), on_test_engine());
  auto ann = client.websocket("/chat/lobby?name=ann");
  CHECK(hear(ann) == joined("ann"));
  auto bob = client.websocket("/chat/lobby?name=bob");
  CHECK(hear(ann) == joined("bob"));
  CHECK(hear(bob) == joined("bob"));
  ann.send_text("hello <b>");
  CHECK(hear(ann) == line("ann", "hello <b>"));
  CHECK(hear(bob) == line("ann", "hello <b>"));
  bob.close();
  CHECK(hear(ann) == left("bob"));
  CHECK(ann.quiet());
}

TEST_CASE("the announcements of a large room do not grow with the square of its visitors") {
  http::TestClient client(make_app(), on_test_engine());
  std::deque<http::TestWebSocket> visitors;
  std::size_t heard = 0;
  const auto hear_all = [&] {
    for (http::TestWebSocket& visitor : visitors) {
      for (; !visitor.quiet(); ++heard) CHECK(visitor.receive().payload.starts_with(R"({"joined":"ann)"));
    }
  };
  for (int i = 0; i != 250; ++i) {
    visitors.push_back(client.websocket("/chat/lobby?name=ann" + std::to_string(i)));
    if (i % 50 == 49) hear_all();
  }
  CHECK(heard == 100 * 101 / 2);  // the first hears a hundred, the hundredth itself
  visitors.back().send_text("hello");
  for (http::TestWebSocket& visitor : visitors) CHECK(hear(visitor) == line("ann249", "hello"));
}

TEST_CASE("one that disappears without a word has left, too") {
  http::TestClient client(make_app(), on_test_engine());
  auto ann = client.websocket("/chat/lobby?name=ann");
  CHECK(hear(ann) == joined("ann"));
  auto bob = client.websocket("/chat/lobby?name=bob");
  CHECK(hear(ann) == joined("bob"));
  bob.disconnect();
  CHECK(hear(ann) == left("bob"));
}

TEST_CASE("rooms do not hear each other, and names are decoded") {
  http::TestClient client(make_app(), on_test_engine());
  auto ann = client.websocket("/chat/one%20room?name=ann");
  CHECK(hear(ann) == joined("ann"));
  auto bob = client.websocket("/chat/another?name=B%C3%B6b");
  CHECK(hear(bob) == joined("Böb"));
  bob.send_text("hello?");
  CHECK(hear(bob) == line("Böb", "hello?"));
  CHECK(ann.quiet());
}

TEST_CASE("one that comes back hears what was said meanwhile, and after a restart is told of the gap") {
  http::TestClient client(make_app(), on_test_engine());
  auto ann = client.websocket("/chat/lobby?name=ann");
  auto bob = client.websocket("/chat/lobby?name=bob");
  CHECK(hear(bob) == joined("bob"));
  ann.send_text("one");
  std::string id;
  CHECK(hear(bob, &id) == line("ann", "one"));
  bob.close();
  for (const char* text : {"two", "three"}) ann.send_text(text);
  while (hear(ann) != line("ann", "three")) continue;
  auto again = client.websocket("/chat/lobby?name=bob&after=" + id);
  CHECK(hear(again) == line("ann", "two"));
  CHECK(hear(again) == line("ann", "three"));
  CHECK(hear(again) == joined("bob"));
  http::TestClient restarted(make_app(), on_test_engine());
  auto stranger = restarted.websocket("/chat/lobby?name=bob&after=" + id);
  CHECK(hear(stranger) == R"({"gap":null})");
  CHECK(hear(stranger) == joined("bob"));
}

TEST_CASE("a room that all have left is new to the next") {
  http::TestClient client(make_app(), on_test_engine());
  auto ann = client.websocket("/chat/lobby?name=ann");
  CHECK(hear(ann) == joined("ann"));
  ann.close();
  auto bob = client.websocket("/chat/lobby?name=bob");
  CHECK(hear(bob) == joined("bob"));
  CHECK(bob.quiet());
}

TEST_CASE("visitors without a fitting name, and lines too long, are refused") {
  http::TestClient client(make_app(), on_test_engine());
  CHECK(client.websocket("/chat/lobby").status() == 400);
  CHECK(client.websocket("/chat/lobby?name=").receive().code == http::CloseCode::policy_violation);
  const std::string name(41, 'x');
  CHECK(client.websocket("/chat/lobby?name=" + name).receive().code == http::CloseCode::policy_violation);
  auto longest = client.websocket("/chat/lobby?name=" + name.substr(1));
  CHECK(hear(longest) == joined(name.substr(1)));
  longest.send_text(std::string(4 * 1024 + 1, 'x'));
  CHECK(longest.receive().code == http::CloseCode::message_too_big);
}

TEST_CASE("the page is there, and a WebSocket's path asks for one") {
  http::TestClient client(make_app(), on_test_engine());
  CHECK(client.get("/").send().header("Content-Type") == "text/html; charset=utf-8");
  CHECK(client.get("/chat/lobby?name=ann").send().status() == 426);
}

TEST_CASE("a drain ends the conversations") {
  http::TestClient client(make_app(), on_test_engine());
  auto ann = client.websocket("/chat/lobby?name=ann");
  CHECK(hear(ann) == joined("ann"));
  client.start_drain();
  CHECK(ann.receive().code == http::CloseCode::going_away);
  ann.disconnect();
  CHECK(client.drain());
}

TEST_SUITE_END();

}  // namespace chat
