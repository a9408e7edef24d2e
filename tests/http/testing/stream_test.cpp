// SPDX-License-Identifier: MIT

#include "http/testing/stream.h"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "http/http.h"
#include "http/testing/test_client.h"
#include "runtime/base/atomic.h"
#include "runtime/time.h"
#include "tests/support/engine.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;

TestClientOptions on_test_engine() { return {.io = test_options().io}; }

}  // namespace

TEST_SUITE_BEGIN("http/testing/stream");

TEST_CASE("a response can be read while the server produces it") {
  App app;
  app.get("/events", [](Request&) {
    return stream("text/event-stream", [](BodyWriter& out) -> Task<> {
      for (int i = 0; i < 3; ++i) {
        const std::string event = ": hm\n\nid: " + std::to_string(i) + "\ndata: a\ndata:b" + std::to_string(i) + "\n\n";
        co_await out.write(event);
        co_await out.flush();
        co_await sleep_for(1s);
      }
      const std::string_view last = "event: end\nretry: 500\ndata\n\n";
      co_await out.write(last);
      out.trailer("Count", "4");
    });
  });
  TestClient client(std::move(app), on_test_engine());
  TestStream events = client.get("/events").open();
  CHECK(events.status() == 200);
  CHECK(events.header("content-type") == "text/event-stream");
  for (int i = 0; i < 3; ++i) {
    CHECK(events.read_event() == TestEvent{.data = "a\nb" + std::to_string(i), .id = std::to_string(i)});
    CHECK(events.quiet());
    client.clock().advance(1s);
  }
  CHECK_FALSE(events.complete());
  CHECK(events.read_event() == TestEvent{.type = "end", .data = "", .id = "2", .retry = 500ms});
  CHECK_FALSE(events.read_event().has_value());
  CHECK(events.complete());
  CHECK(events.trailer("count") == "4");
  CHECK(client.get("/events").open().read_some().starts_with(": hm"));
}

TEST_CASE("a client that disconnects ends until_closing(), and an aborted stream is detected") {
  App app;
  auto gone = std::make_shared<base::Atomic<bool>>(false);
  app.get("/endless", [gone](Request&) {
    return stream("text/plain", [gone](BodyWriter& out) -> Task<> {
      const std::string_view text = "begun";
      co_await out.write(text);
      co_await out.flush();
      co_await out.until_closing();
      gone->store(true, base::relaxed);  // relaxed: a flag
    });
  });
  app.get("/broken", [](Request&) {
    return stream("text/plain", [](BodyWriter& out) -> Task<> {
      const std::string_view text = "begun";
      co_await out.write(text);
      co_await out.flush();
      throw std::runtime_error("decided by the test");
    });
  });
  TestClient client(std::move(app), on_test_engine());
  TestStream endless = client.get("/endless").open();
  CHECK(endless.read_some() == "begun");
  CHECK(endless.quiet());
  CHECK_FALSE(gone->load(base::relaxed));  // relaxed: a flag
  endless.close();
  client.clock().settle();
  CHECK(gone->load(base::relaxed));  // relaxed: a flag
  CHECK(client.server().connection_count() == 0);

  TestStream broken = client.get("/broken").open();
  CHECK(broken.read_rest() == "begun");
  CHECK_FALSE(broken.complete());
  CHECK_THROWS_AS(client.get("/broken").send(), TestFailure);
}

TEST_SUITE_END();

}  // namespace volt::http
