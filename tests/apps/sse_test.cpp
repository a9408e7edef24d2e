// SPDX-License-Identifier: MIT

#include "apps/sse/sse.h"

#include <doctest/doctest.h>

#include <string>

#include "http/testing/test_client.h"
#include "tests/apps/on_test_engine.h"

namespace sse {
namespace {

namespace http = volt::http;
using namespace std::chrono_literals;
using test::on_test_engine;

struct Said {
  std::string text;
};

http::TestEvent count(int number) {
  return {.type = "count", .data = std::to_string(number), .id = std::to_string(number)};
}

}  // namespace

TEST_SUITE_BEGIN("apps/sse");

TEST_CASE("a stream counts, once a second") {
  http::TestClient client(make_app(), on_test_engine());
  auto stream = client.get("/events").open();
  CHECK(stream.header("Content-Type") == "text/event-stream");
  CHECK(stream.read_event() == count(1));
  CHECK(stream.quiet());
  client.clock().advance(1s);
  CHECK(stream.read_event() == count(2));
  client.clock().advance(1s);
  CHECK(stream.read_event() == count(3));
  CHECK(stream.quiet());
}

TEST_CASE("who comes back goes on where it was") {
  http::TestClient client(make_app(), on_test_engine());
  CHECK(client.get("/events").header("Last-Event-ID", "41").open().read_event() == count(42));
  CHECK(client.get("/events").header("Last-Event-ID", "nonsense").open().read_event() == count(1));
}

TEST_CASE("what one says, all hear, and one that comes back hears what was said meanwhile") {
  http::TestClient client(make_app(), on_test_engine());
  auto ann = client.get("/news").open();
  auto bob = client.get("/news").open();
  CHECK(ann.quiet());
  CHECK(bob.quiet());
  CHECK(client.post("/say").json(Said{"hello\nall"}).send().status() == 204);
  std::string id;
  for (http::TestStream* stream : {&ann, &bob}) {
    const auto event = stream->read_event();
    REQUIRE(event);
    CHECK(event->type == "message");
    CHECK(event->data == R"({"text":"hello\nall"})");
    id = event->id;
  }
  bob.close();
  CHECK(client.post("/say").json(Said{"again"}).send().status() == 204);
  const auto missed = client.get("/news").header("Last-Event-ID", id).open().read_event();
  REQUIRE(missed);
  CHECK(missed->data == R"({"text":"again"})");
}

TEST_CASE("what does not fit is refused, and is sent to no subscriber") {
  http::TestClient client(make_app(), on_test_engine());
  auto stream = client.get("/news").open();
  CHECK(client.post("/say").body("{}", "application/json").send().status() == 422);
  CHECK(client.post("/say").json(Said{std::string(5000, 'x')}).send().status() == 413);
  CHECK(stream.quiet());
}

TEST_CASE("a drain ends the streams") {
  http::TestClient client(make_app(), on_test_engine());
  auto stream = client.get("/events").open();
  CHECK(stream.read_event() == count(1));
  client.start_drain();
  CHECK(stream.read_event() == std::nullopt);
  stream.close();
  CHECK(client.drain());
}

TEST_SUITE_END();

}  // namespace sse
