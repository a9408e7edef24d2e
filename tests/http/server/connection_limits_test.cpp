// SPDX-License-Identifier: MIT

// The limits and deadlines of a connection (http/server/internal/connection.h): on real sockets, or by the clock of a
// TestClient where a client that is late would fail the test.
#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "http/server/internal/connection.h"
#include "http/testing/test_client.h"
#include "http/web/extract.h"
#include "http/web/problem.h"
#include "runtime/concurrent.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/http_client.h"
#include "tests/support/served_app.h"
#include "tests/support/waiting.h"

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using test::HttpClient;
using test::Reply;
using test::ServedApp;

constexpr milliseconds kLate = 15s;  // on a busy machine, under a sanitizer

TestClientOptions on_test_engine(const ServerOptions& server) { return {.server = server, .io = test_options().io}; }

App echo_app() {
  App app;
  app.get("/", [] { return "hello"; });
  app.post("/echo", [](const Request& request) { return std::string(request.body()); });
  return app;
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i != count; ++i) all += text;
  return all;
}

class Watch {
 public:
  milliseconds elapsed() const {
    return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began_);
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

TEST_SUITE_BEGIN("http/server/connection_limits");

TEST_CASE("a request at a limit is served, one beyond it is refused and its connection is closed") {
  const http1::Limits limits{
      .request_line_bytes_max = 100, .head_bytes_max = 400, .fields_max = 4, .body_bytes_max = 9};
  ServedApp served(echo_app(), {.limits = limits});
  const std::string host = "HTTP/1.1\r\nHost: a\r\n";
  const std::string chunked = "POST /echo " + host + "Transfer-Encoding: chunked\r\n\r\n";
  const struct {
    std::string_view why;
    std::string request;
    int status;
  } cases[] = {
      {"9112 3: the line", "GET /?" + std::string(85, 'x') + " " + host + "\r\n", 200},
      {"9112 3: and one byte", "GET /?" + std::string(86, 'x') + " " + host + "\r\n", 414},
      {"6585 5: the head", "GET / " + host + "F: " + std::string(400 - 32, 'x') + "\r\n\r\n", 200},
      {"6585 5: and one byte", "GET / " + host + "F: " + std::string(401 - 32, 'x') + "\r\n\r\n", 431},
      {"6585 5: the fields", "GET / " + host + repeated("F: x\r\n", 3) + "\r\n", 200},
      {"6585 5: and one", "GET / " + host + repeated("F: x\r\n", 4) + "\r\n", 431},
      {"9110 15.5.14: the length", "POST /echo " + host + "Content-Length: 9\r\n\r\n123456789", 200},
      {"9110 15.5.14: known too large", "POST /echo " + host + "Content-Length: 10\r\n\r\n", 413},
      {"9110 15.5.14: chunks", chunked + "4\r\n1234\r\n5\r\n56789\r\n0\r\n\r\n", 200},
      {"9110 15.5.14: found too large", chunked + "4\r\n1234\r\n6\r\n", 413},
      {"9112 3.2: no host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"9112 6.1: a coding that is not supported", "POST /echo " + host + "Transfer-Encoding: gzip\r\n\r\n", 501},
      {"9110 9.1: no known method", "BREW / " + host + "\r\n", 501},
      {"9112 2.3: a version to come", "GET / HTTP/2.0\r\n\r\n", 505},
      {"9110 10.1.1: another expectation", "POST /echo " + host + "Content-Length: 1\r\nExpect: x\r\n\r\n", 417},
      {"9110 15.5.5: no such path", "GET /none " + host + "\r\n", 404},
      {"9110 15.5.6: another method", "PUT / " + host + "\r\n", 405},
  };
  for (const auto& [why, request, status] : cases) {
    CAPTURE(why);
    HttpClient client(served.port());
    const Reply reply = client.ask(request);
    CHECK(reply.status == status);
    const bool refused = status != 200 && status != 404 && status != 405;
    CHECK(reply.closes() == refused);
    CHECK(client.end_within(refused ? kLate : 0ms) ==
          (refused ? HttpClient::End::closed : HttpClient::End::still_open));
  }
}

TEST_CASE("a response for a known path lists the allowed methods, RFC 9110 sections 9.3.7 and 15.5.6") {
  ServedApp served(echo_app());
  HttpClient client(served.port());
  const Reply put = client.ask("PUT / HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(put.status == 405);
  CHECK(put.field("Allow") == "GET, HEAD, OPTIONS");
  const Reply options = client.ask("OPTIONS /echo HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(options.status == 204);
  CHECK(options.field("Allow") == "POST, OPTIONS");
  CHECK(client.ask("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").status == 204);
  CHECK(client.ask("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n").status == 405);
}

TEST_CASE("a 100 is sent only when the body is needed, RFC 9110 section 10.1.1") {
  ServedApp served(echo_app(), {.limits = {.body_bytes_max = 9}});
  const auto expecting = [](std::string_view path, int length, std::string_view version = "1.1") {
    return "POST " + std::string(path) + " HTTP/" + std::string(version) +
           "\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
  };
  HttpClient client(served.port());
  CHECK(client.ask(expecting("/echo", 3)).status == 100);
  CHECK(client.ask("abc").body == "abc");
  CHECK(client.ask(expecting("/echo", 3) + "def").body == "def");  // the body has been received: no 100
  CHECK(client.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n" + expecting("/echo", 3)).body == "hello");
  CHECK(client.read().status == 100);
  CHECK(client.ask("ghi").body == "ghi");
  CHECK(client.ask(expecting("/echo", 0)).status == 200);
  CHECK(client.ask(expecting("/echo", 10)).status == 413);  // and no 100 before it
  CHECK(client.end() == HttpClient::End::closed);

  HttpClient lost(served.port());
  const Reply no_path = lost.ask(expecting("/none", 3));  // no 100, because the body is not needed
  CHECK(no_path.status == 404);
  CHECK(no_path.closes());
  HttpClient old(served.port());
  CHECK(old.ask(expecting("/echo", 3, "1.0") + "abc").body == "abc");
}

TEST_CASE("a head that is late gets 408, and single bytes do not extend its deadline") {
  TestClient client(echo_app(), on_test_engine({.head_timeout = 300ms, .idle_timeout = 20s}));
  const std::string_view first = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  for (const std::string_view before : {std::string_view(), first}) {
    CAPTURE(before);
    TestConnection connection = client.raw();
    connection.send(before);
    if (!before.empty()) CHECK(connection.read_response().status() == 200);
    connection.send("GET / HTTP/1.1\r\nHost: a\r\nX-Drip: ");
    for (int i = 0; i != 14; ++i) {
      client.clock().advance(20ms);
      connection.send("x");
    }
    client.clock().advance(10ms);
    CHECK(connection.quiet());
    client.clock().advance(20ms);
    CHECK(connection.read_response().status() == 408);
  }
}

TEST_CASE("each pipelined head has its own deadline") {
  TestClient client(echo_app(), on_test_engine({.head_timeout = 500ms, .idle_timeout = 20s}));
  TestConnection connection = client.raw();
  // Each write ends one request and begins the next, so the connection is never idle.
  connection.send("GET / HTTP/1.1\r\nHo");
  for (int i = 0; i != 8; ++i) {
    client.clock().advance(100ms);
    connection.send("st: a\r\n\r\nGET / HTTP/1.1\r\nHo");
    REQUIRE(connection.read_response().status() == 200);
  }
  client.clock().advance(490ms);
  CHECK(connection.quiet());
  client.clock().advance(20ms);
  CHECK(connection.read_response().status() == 408);
}

TEST_CASE("a head after a body has its own deadline") {
  TestClient client(echo_app(), on_test_engine({.head_timeout = 20s, .rate_grace = 300ms}));
  TestConnection connection = client.raw();
  connection.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na");
  client.clock().advance(100ms);
  connection.send("bGET / HTTP/1.1\r\nHo");
  CHECK(connection.read_response().body() == "ab");
  client.clock().advance(500ms);
  connection.send("st: a\r\n\r\n");
  CHECK(connection.read_response().body() == "hello");
}

TEST_CASE("a handler that cancels its reads does not extend the time for the body") {
  App app;
  app.post("/poll", [](BodyStream body) -> Task<std::string> {
    for (int i = 0; i != 100; ++i) static_cast<void>(co_await within(50ms, [&] { return body.read(); }));
    co_return "never ended";
  });
  TestClient client(std::move(app), on_test_engine({.rate_grace = 320ms}));
  TestConnection connection = client.raw();
  connection.send("POST /poll HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
  for (int i = 0; i != 6; ++i) client.clock().advance(50ms);
  CHECK(connection.quiet());
  client.clock().advance(50ms);
  CHECK(connection.read_response().status() == 408);
}

TEST_CASE("an idle connection is closed without a response, also after empty lines") {
  TestClient client(echo_app(), on_test_engine({.head_timeout = 250ms, .idle_timeout = 250ms}));
  for (const std::string_view bytes : {"", "\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"}) {
    CAPTURE(bytes);
    TestConnection connection = client.raw();
    connection.send(bytes);
    if (bytes.starts_with("GET")) CHECK(connection.read_response().status() == 200);
    client.clock().advance(240ms);
    CHECK(connection.quiet());
    client.clock().advance(20ms);
    CHECK(connection.ended());
  }
}

TEST_CASE("the time that a handler takes does not count against the client") {
  App app = echo_app();
  app.get("/later", [](Request&) -> Task<std::string> {
    co_await sleep_for(600ms);
    co_return "late";
  });
  TestClient client(std::move(app), on_test_engine({.head_timeout = 300ms, .idle_timeout = 300ms}));
  TestConnection connection = client.raw();
  connection.send("GET /later HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n");
  client.clock().advance(600ms);
  CHECK(connection.read_response().body() == "late");
  connection.send("Host: a\r\n\r\n");
  CHECK(connection.read_response().body() == "hello");
}

TEST_CASE("a body below the minimum rate is refused, one above it may take longer") {
  const std::string head = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n";
  TestClient client(echo_app(), on_test_engine({.rate_bytes_per_second_min = 100, .rate_grace = 300ms}));
  TestConnection slow = client.raw();
  slow.send(head);
  for (int i = 0; i != 5; ++i) {  // 20 B/s
    client.clock().advance(50ms);
    slow.send("x");
  }
  client.clock().advance(40ms);
  CHECK(slow.quiet());
  client.clock().advance(20ms);
  CHECK(slow.read_response().status() == 408);

  TestConnection steady = client.raw();
  steady.send(head);
  for (int i = 0; i != 10; ++i) {
    client.clock().advance(60ms);
    steady.send(std::string(100, 'x'));
  }
  CHECK(steady.read_response().body() == std::string(1000, 'x'));
}

TEST_CASE("a body that stalls is refused, however fast it was before") {
  ServedApp served(echo_app(), {.stall_timeout = 2s});
  HttpClient client(served.port());
  const Watch watch;
  client.send("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100001\r\n\r\n" + std::string(100'000, 'x'));
  CHECK(client.read().status == 408);
  CHECK(watch.elapsed() >= 1s);
}

TEST_CASE("a client that pipelines and never reads is disconnected, and is not read from before that") {
  App app;
  app.get("/", [] { return std::string(4000, 'x'); });
  ServedApp served(std::move(app), {.stall_timeout = 400ms, .rate_grace = 400ms});
  HttpClient client(served.port(), {.receive_bytes = 4096});
  const std::string burst = repeated("GET / HTTP/1.1\r\nHost: a\r\n\r\n", 1000);
  const std::size_t taken = client.send_until_blocked(burst, 100ms);
  CHECK(taken < 16 * 1024 * 1024);  // at most the kernel's buffers
  CHECK(served.has_connections(0));
}

TEST_CASE("a slow reader above the minimum rate gets its whole response") {
  App app;
  app.get("/", [] { return std::string(6'000'000, 'x'); });
  ServedApp served(std::move(app), {.rate_grace = 3s});
  HttpClient client(served.port(), {.receive_bytes = 8192});
  client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  std::this_thread::sleep_for(500ms);
  CHECK(client.read().body.size() == 6'000'000);
  CHECK(client.end() == HttpClient::End::closed);
}

TEST_CASE("the server does not wait for a client that has asked for the close") {
  ServedApp served(echo_app(), {.linger_timeout = 1h});
  for (const std::string_view request :
       {"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nand more, against its word"}) {
    CAPTURE(request);
    HttpClient client(served.port());
    client.send(request);
    CHECK(client.read().body == "hello");
    CHECK(served.has_connections(0));
    CHECK(client.end() == HttpClient::End::closed);
  }
}

TEST_CASE("a refused client receives the whole response, although it keeps sending") {
  ServedApp served(echo_app());
  for (const std::string_view request : {"GET / HTTP/2.0\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
                                         "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n",
                                         "POST / HTTP/1.0\r\nContent-Length: 300000\r\n\r\n"}) {
    HttpClient client(served.port());
    client.send(request);
    const std::string more(20'000, 'x');
    for (int i = 0; i != 10; ++i) {
      client.send(more);
      std::this_thread::sleep_for(2ms);
    }
    CHECK(client.read().status >= 400);
    CHECK(client.end() == HttpClient::End::closed);
  }
}

TEST_CASE("a client that sends 20 MB before it reads gets every early response") {
  App app = echo_app();
  app.post("/locked", []() -> Response { throw Problem(Status::unauthorized); });
  app.post("/unread", [](BodyStream) -> Task<std::string> { co_return "unread"; });
  ServedApp served(std::move(app));
  const std::string body(20'000'000, 'x');
  const std::string sized = " HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n";
  const std::string chunked = " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1312D00\r\n";  // 20,000,000
  const struct {
    std::string_view why;
    std::string head;
    int status;
  } cases[] = {
      {"the body is too large", "POST /echo" + sized, 413},
      {"the chunked body is too large", "POST /echo" + chunked, 413},
      {"the client is not authorized", "POST /locked" + chunked, 401},
      {"there is no such path", "POST /none" + chunked, 404},
      {"the handler does not read the body", "POST /unread" + chunked, 200},
      {"the head is too large", "GET / HTTP/1.1\r\nHost: a\r\nF: ", 431},
  };
  for (const auto& [why, head, status] : cases) {
    CAPTURE(why);
    for (int i = 0; i != 3; ++i) {
      HttpClient client(served.port());
      client.send(head);
      client.send(body);  // throws if the connection is reset
      CHECK(client.read().status == status);
      CHECK(client.end() == HttpClient::End::closed);
    }
  }
  CHECK(served.has_connections(0));
}

TEST_CASE("a connection lingers while its client sends, but not longer than linger_timeout") {
  TestClient client(echo_app(), on_test_engine({.linger_timeout = 600ms, .linger_idle_timeout = 300ms}));
  TestConnection endless = client.raw();
  endless.send("nonsense\r\n");
  CHECK(endless.read_response().status() == 400);
  for (int i = 0; i != 5; ++i) {
    client.clock().advance(100ms);
    endless.send("x");
  }
  client.clock().advance(90ms);
  CHECK(client.server().connection_count() == 1);
  client.clock().advance(20ms);
  CHECK(client.server().connection_count() == 0);
}

TEST_CASE("a connection lingers without data only for linger_idle_timeout") {
  ServedApp served(echo_app(), {.linger_timeout = 1h, .linger_idle_timeout = 2s});
  HttpClient silent(served.port());
  const Watch watch;
  silent.send("nonsense\r\n");
  CHECK(silent.read().status == 400);
  CHECK(served.has_connections(0));
  CHECK(watch.elapsed() >= 1s);
  CHECK(watch.elapsed() < 2s + kLate);
}

TEST_CASE("at most a quarter of the connections linger, or 16: beyond it, the oldest is closed") {
  TestClient client(echo_app(),
                    on_test_engine({.linger_timeout = 1h, .linger_idle_timeout = 1h, .connections_max = 80}));
  std::vector<TestConnection> connections;
  const auto linger = [&] {
    connections.push_back(client.raw());
    connections.back().send("nonsense\r\n");
    CHECK(connections.back().read_response().status() == 400);
    CHECK(connections.back().ended());
  };
  for (int i = 0; i != 20; ++i) linger();
  CHECK(client.server().connection_count() == 20);
  linger();
  CHECK(client.server().connection_count() == 20);
  CHECK(connections[0].try_send("x") == 0);
  CHECK(connections[1].try_send("x") == 1);
}

TEST_CASE("a drain soon ends the lingering") {
  ServedApp served(echo_app(), {.linger_timeout = 1h, .linger_idle_timeout = 1h, .drain_idle_timeout = 100ms});
  HttpClient silent(served.port());
  silent.send("nonsense\r\n");
  CHECK(silent.read().status == 400);
  HttpClient endless(served.port());
  endless.send("nonsense\r\n");
  CHECK(endless.read().status == 400);
  std::thread sender([&] {
    while (endless.try_send("x")) std::this_thread::sleep_for(5ms);
  });
  CHECK(served.drain());
  sender.join();
}

TEST_CASE("a connection that waits for a place soon ends the lingering") {
  ServedApp served(
      echo_app(),
      {.linger_timeout = 1h, .linger_idle_timeout = 1h, .connections_max = 1, .pressure_idle_timeout = 100ms});
  HttpClient silent(served.port());
  silent.send("nonsense\r\n");
  CHECK(silent.read().status == 400);
  HttpClient next(served.port());
  CHECK(next.ask("GET / HTTP/1.1\r\nHost: a\r\n\r\n").body == "hello");
}

TEST_SUITE_END();
}  // namespace volt::http::server
