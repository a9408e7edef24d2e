// SPDX-License-Identifier: MIT

#include "http/testing/connection.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "http/http.h"
#include "http/testing/test_client.h"
#include "runtime/time.h"
#include "tests/support/engine.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;

TestClientOptions on_test_engine() { return {.io = test_options().io}; }

App echo_app() {
  App app;
  app.get("/", [] { return "hello"; });
  return app;
}

}  // namespace

TEST_SUITE_BEGIN("http/testing/connection");

TEST_CASE("raw connections can pipeline, send pieces and send invalid bytes") {
  TestClient client(echo_app(), on_test_engine());
  auto connection = client.raw();
  connection.send(
      "GET / HTTP/1.1\r\nHost: a\r\n\r\nHEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET /none HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(connection.read_response().body() == "hello");
  CHECK(connection.read_response(Method::head).status() == 200);
  CHECK(connection.read_response().status() == 404);
  for (const char c : std::string_view("GET / HTTP/1.1\r\nHost: a\r\n\r\n")) {
    CHECK(connection.quiet());
    connection.send({&c, 1});
  }
  CHECK(connection.read_some().starts_with("HTTP/1.1 200 OK\r\n"));
  connection.send("nonsense\r\n\r\n");
  CHECK(connection.read_response().status() == 400);
  CHECK(connection.ended());
  CHECK(connection.read_some().empty());

  auto half_closed = client.raw();
  half_closed.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  half_closed.finish_sending();
  CHECK(half_closed.read_response().body() == "hello");
  CHECK(half_closed.read_rest().empty());
}

TEST_CASE("sending stops when the server does not read, and received bytes can be peeked at") {
  App app = echo_app();
  app.post("/hold", [](Request&) -> Task<std::string> {
    co_await sleep_for(1s);
    co_return "held";
  });
  TestClient client(std::move(app), on_test_engine());
  auto connection = client.raw();
  connection.send("POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  const std::string flood(8 * 1024 * 1024, 'a');
  const std::size_t taken = connection.try_send(flood);
  CHECK(taken > 0);
  CHECK(taken < flood.size());
  CHECK_THROWS_AS(connection.send("more"), TestFailure);
  CHECK(connection.peek().empty());
  client.clock().advance(1s);
  CHECK(connection.peek().starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(connection.read_response().body() == "held");
}

TEST_CASE("a truncated response, and sending on a closed connection, fail the test") {
  App app;
  app.get("/broken", [](Request&) {
    return stream("text/plain", [](BodyWriter& out) -> Task<> {
      co_await out.flush();
      throw std::runtime_error("decided by the test");
    });
  });
  TestClient client(std::move(app), on_test_engine());
  auto connection = client.raw();
  connection.send("GET /broken HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK_THROWS_AS(static_cast<void>(connection.read_response()), TestFailure);
  connection.close();
  CHECK_THROWS_AS(connection.send("more"), TestFailure);
}

TEST_SUITE_END();

}  // namespace volt::http
