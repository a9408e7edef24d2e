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
  return R"({"name":")" + name + R"(","text":")" + text + R"("})";
}

}  // namespace

TEST_SUITE_BEGIN("apps/chat");

TEST_CASE("everybody in a room hears who comes, what is said and who leaves") {
  http::TestClient client(make_app(), on_test_engine());
  auto ann = client.websocket("/chat/lobby?name=ann");
  CHECK(ann.receive().payload == line("ann", "has come"));
  auto bob = client.websocket("/chat/lobby?name=bob");
  CHECK(ann.receive().payload == line("bob", "has come"));
  CHECK(bob.receive().payload == line("bob", "has come"));
  ann.send_text("hello <b>");
  CHECK(ann.receive().payload == line("ann", "hello <b>"));
  CHECK(bob.receive().payload == line("ann", "hello <b>"));
  bob.close();
  CHECK(ann.receive().payload == line("bob", "has left"));
  CHECK(ann.quiet());
}

TEST_CASE("the announcements of a large room do not grow with the square of its visitors") {
  http::TestClient client(make_app(), on_test_engine());
  std::deque<http::TestWebSocket> visitors;
  std::size_t heard = 0;
  const auto hear_all = [&] {
    for (http::TestWebSocket& visitor : visitors) {
      for (; !visitor.quiet(); ++heard) CHECK(visitor.receive().payload.ends_with(R"("text":"has come"})"));
    }
  };
  for (int i = 0; i != 250; ++i) {
    visitors.push_back(client.websocket("/chat/lobby?name=ann"));
    if (i % 50 == 49) hear_all();
  }
  CHECK(heard == 100 * 101 / 2);  // the first hears a hundred, the hundredth itself
  visitors.back().send_text("hello");
  for (http::TestWebSocket& visitor : visitors) CHECK(visitor.receive().payload == line("ann", "hello"));
}

TEST_CASE("one that disappears without a word has left, too") {
  http::TestClient client(make_app(), on_test_engine());
  auto ann = client.websocket("/chat/lobby?name=ann");
  CHECK(ann.receive().payload == line("ann", "has come"));
  auto bob = client.websocket("/chat/lobby?name=bob");
  CHECK(ann.receive().payload == line("bob", "has come"));
  bob.disconnect();
  CHECK(ann.receive().payload == line("bob", "has left"));
}

TEST_CASE("rooms do not hear each other, and names are decoded") {
  http::TestClient client(make_app(), on_test_engine());
  auto ann = client.websocket("/chat/one%20room?name=ann");
  CHECK(ann.receive().payload == line("ann", "has come"));
  auto bob = client.websocket("/chat/another?name=B%C3%B6b");
  CHECK(bob.receive().payload == line("Böb", "has come"));
  bob.send_text("anybody?");
  CHECK(bob.receive().payload == line("Böb", "anybody?"));
  CHECK(ann.quiet());
}

TEST_CASE("a room that all have left is new to the next") {
  http::TestClient client(make_app(), on_test_engine());
  auto ann = client.websocket("/chat/lobby?name=ann");
  CHECK(ann.receive().payload == line("ann", "has come"));
  ann.close();
  auto bob = client.websocket("/chat/lobby?name=bob");
  CHECK(bob.receive().payload == line("bob", "has come"));
  CHECK(bob.quiet());
}

TEST_CASE("visitors without a fitting name, and lines too long, are refused") {
  http::TestClient client(make_app(), on_test_engine());
  CHECK(client.websocket("/chat/lobby").status() == 400);
  CHECK(client.websocket("/chat/lobby?name=").receive().code == http::CloseCode::policy_violation);
  const std::string name(41, 'x');
  CHECK(client.websocket("/chat/lobby?name=" + name).receive().code == http::CloseCode::policy_violation);
  auto longest = client.websocket("/chat/lobby?name=" + name.substr(1));
  CHECK(longest.receive().payload == line(name.substr(1), "has come"));
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
  CHECK(ann.receive().payload == line("ann", "has come"));
  client.start_drain();
  CHECK(ann.receive().code == http::CloseCode::going_away);
  ann.disconnect();
  CHECK(client.drain());
}

TEST_SUITE_END();

}  // namespace chat
