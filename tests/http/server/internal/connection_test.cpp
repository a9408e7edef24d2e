// SPDX-License-Identifier: MIT

#include "http/server/internal/connection.h"

#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <string>

#include "runtime/base/atomic.h"
#include "runtime/time.h"
#include "tests/support/http_client.h"
#include "tests/support/served_app.h"

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;
using test::HttpClient;
using test::Reply;
using test::ServedApp;

App echo_app() {
  App app;
  app.get("/", [] { return "hello"; });
  app.post("/echo", [](const Request& request) { return std::string(request.body()); });
  app.get("/bye", [] { return std::move(Response::text("bye").close()); });
  return app;
}

std::string get(std::string_view path, std::string_view fields = {}) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n";
}

std::string post(std::string_view body, std::string_view path = "/echo") {
  return "POST " + std::string(path) + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

std::string post_chunked(std::string_view body, std::size_t chunk_bytes) {
  std::string bytes = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (; !body.empty(); body.remove_prefix(std::min(chunk_bytes, body.size()))) {
    const std::string_view chunk = body.substr(0, chunk_bytes);
    char size[20];
    const auto end = std::to_chars(size, size + sizeof size, chunk.size(), 16).ptr;
    bytes.append(size, end).append("\r\n").append(chunk).append("\r\n");
  }
  return bytes + "0\r\n\r\n";
}

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/connection");

TEST_CASE("a connection goes on or ends as RFC 9112 section 9.3 says") {
  ServedApp served(echo_app());
  const struct {
    std::string_view why, request;
    bool closes;
    std::string_view connection;
  } cases[] = {
      {"1.1 goes on", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", false, ""},
      {"1.1 closes on request", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", true, "close"},
      {"in a list, whatever its case", "GET / HTTP/1.1\r\nHost: a\r\nConnection: x, ClOsE\r\n\r\n", true, "close"},
      {"in a second field", "GET / HTTP/1.1\r\nHost: a\r\nConnection: x\r\nConnection: close\r\n\r\n", true, "close"},
      {"1.0 closes", "GET / HTTP/1.0\r\n\r\n", true, "close"},
      {"1.0 goes on on request", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false, "keep-alive"},
      {"close wins", "GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n", true, "close"},
      {"the handler closes", "GET /bye HTTP/1.1\r\nHost: a\r\n\r\n", true, "close"},
  };
  for (const auto& [why, request, closes, connection] : cases) {
    CAPTURE(why);
    HttpClient client(served.port());
    const Reply reply = client.ask(request);
    CHECK(reply.status == 200);
    CHECK(reply.field("Connection") == connection);
    CHECK(reply.field("Date").size() == 29);
    if (closes) {
      CHECK(client.end() == HttpClient::End::closed);
    } else {
      CHECK(client.ask(request).status == 200);
    }
  }
}

TEST_CASE("a connection serves a thousand requests one after the other") {
  ServedApp served(echo_app());
  HttpClient client(served.port());
  for (int i = 0; i != 1000; ++i) {
    const std::string body = std::to_string(i);
    REQUIRE(client.ask(post(body)).body == body);
  }
}

TEST_CASE("the responses to a thousand requests in one write are in order") {
  ServedApp served(echo_app());
  HttpClient client(served.port());
  std::string burst;
  for (int i = 0; i != 1000; ++i) burst += i % 3 == 0 ? get("/") : post(std::to_string(i));
  client.send(burst);
  for (int i = 0; i != 1000; ++i) {
    REQUIRE(client.read().body == (i % 3 == 0 ? "hello" : std::to_string(i)));
  }
  CHECK(client.end_within(50ms) == HttpClient::End::still_open);
}

// CVE-2022-38667: the next request must not begin before the last is done.
TEST_CASE("the responses of handlers that sleep random times are in the order of the pipelined requests") {
  App app = echo_app();
  app.post("/sleep", [](Request& request) -> Task<Response> {
    static base::Atomic<std::uint32_t> seed{1};
    const std::string body(request.body());
    std::minstd_rand random(seed.fetch_add(1, base::relaxed));  // relaxed: any number is good
    co_await sleep_for(std::chrono::microseconds(random() % 3000));
    co_return Response::text(body + std::string(request.body()));
  });
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  std::string burst;
  for (int i = 0; i != 200; ++i) burst += post(std::to_string(i), i % 4 == 0 ? "/echo" : "/sleep");
  client.send(burst);
  for (int i = 0; i != 200; ++i) {
    const std::string body = std::to_string(i);
    REQUIRE(client.read().body == (i % 4 == 0 ? body : body + body));
  }
}

TEST_CASE("a response does not wait for a later pipelined request that takes long") {
  App app = echo_app();
  app.get("/slow", [](Request&) -> Task<Response> {
    co_await sleep_for(30s);
    co_return Response();
  });
  ServedApp served(std::move(app));
  HttpClient behind_handler(served.port(), {.patience = 10s});
  behind_handler.send(get("/") + get("/slow"));
  CHECK(behind_handler.read().body == "hello");
  HttpClient behind_body(served.port(), {.patience = 4s});
  behind_body.send(get("/") + "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
  CHECK(behind_body.read().body == "hello");
}

TEST_CASE("responses with large bodies, which are not copied, are in the order of the pipelined requests") {
  App app = echo_app();
  app.get("/large/{character}", [](Request& request) { return std::string(1'000'000, request.path().back()); });
  ServedApp served(std::move(app));
  HttpClient client(served.port());
  client.send(get("/large/a") + get("/") + get("/large/b") + get("/large/c") + get("/"));
  CHECK(client.read().body == std::string(1'000'000, 'a'));
  CHECK(client.read().body == "hello");
  CHECK(client.read().body == std::string(1'000'000, 'b'));
  CHECK(client.read().body == std::string(1'000'000, 'c'));
  CHECK(client.read().body == "hello");
}

TEST_CASE("HEAD has the header fields of GET and no body, RFC 9110 section 9.3.2") {
  ServedApp served(echo_app());
  HttpClient client(served.port());
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + get("/"));
  const Reply head = client.read(false);
  CHECK(head.field("Content-Length") == "5");
  const Reply body = client.read();  // malformed if a body had been sent
  CHECK(body.body == "hello");
  CHECK(body.head == head.head);
  client.send("HEAD / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");  // also refused without a body
  CHECK(client.read(false).status == 400);
  CHECK(client.end() == HttpClient::End::closed);
}

TEST_CASE("bodies are complete, whatever their size, coding and pieces") {
  ServedApp served(echo_app());
  HttpClient client(served.port());
  for (const std::size_t bytes : {0U, 1U, 100U, 8000U, 8192U, 8193U, 70'000U, 1'048'576U}) {
    CAPTURE(bytes);
    std::string body(bytes, 'x');
    for (std::size_t i = 0; i < bytes; i += 97) body[i] = static_cast<char>('a' + i % 26);
    CHECK(client.ask(post(body)).body == body);
    CHECK(client.ask(post_chunked(body, 7777)).body == body);
    if (bytes <= 8193) CHECK(client.ask(post_chunked(body, 1)).body == body);
  }
  const std::string bytewise = post("sized body") + post_chunked("chunked body", 5) + get("/");
  for (const char c : bytewise) client.send({&c, 1});
  CHECK(client.read().body == "sized body");
  CHECK(client.read().body == "chunked body");
  CHECK(client.read().body == "hello");
}

TEST_CASE("requests cut at every byte into two writes are the same requests") {
  ServedApp served(echo_app());
  HttpClient client(served.port());
  const std::string bytes = post("one") + post_chunked("two", 2) + get("/");
  for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
    CAPTURE(cut);
    client.send(std::string_view(bytes).substr(0, cut));
    client.send(std::string_view(bytes).substr(cut));
    REQUIRE(client.read().body == "one");
    REQUIRE(client.read().body == "two");
    REQUIRE(client.read().body == "hello");
  }
}

TEST_CASE("without half_close_cancels, a client that has closed its sending side still gets its responses") {
  App app = echo_app();
  app.get("/later", [](Request&) -> Task<std::string> {
    co_await sleep_for(50ms);
    co_return "late";
  });
  ServedApp served(std::move(app), {.half_close_cancels = false});
  for (const std::string_view path : {"/", "/later"}) {
    HttpClient client(served.port());
    client.send(get(path) + get(path));
    client.finish_sending();
    CHECK(client.read().status == 200);
    CHECK(client.read().status == 200);
    CHECK(client.end() == HttpClient::End::closed);
  }
}

TEST_CASE("the end of the stream inside a message gets 400 (RFC 9112 section 8), between messages a close") {
  ServedApp served(echo_app());
  const struct {
    std::string_view why, bytes;
    int status;  // 0: no response
  } cases[] = {
      {"no byte", "", 0},
      {"empty lines are not a request", "\r\n\r\n", 0},
      {"inside the request line", "GET / HT", 400},
      {"inside the fields", "GET / HTTP/1.1\r\nHost: a\r\n", 400},
      {"inside a sized body", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab", 400},
      {"inside a chunk", "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", 400},
      {"before the last chunk", "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n", 400},
  };
  for (const auto& [why, bytes, status] : cases) {
    CAPTURE(why);
    HttpClient client(served.port());
    client.send(bytes);
    client.finish_sending();
    if (status != 0) CHECK(client.read().status == status);
    CHECK(client.end() == HttpClient::End::closed);
  }
  CHECK(served.has_connections(0));
}

TEST_CASE("bytes after the last request are ignored, and its response is received") {
  ServedApp served(echo_app());
  const std::string last = get("/", "Connection: close\r\n");
  for (const std::string& rest : {get("/"), std::string("garbage \x01\r\n\r\n"), std::string(100'000, 'x')}) {
    HttpClient client(served.port());
    client.send(last + rest);
    CHECK(client.read().body == "hello");
    CHECK(client.end() == HttpClient::End::closed);
  }
}

TEST_CASE("a client that disconnects during a request ends its connection, by a close or a reset") {
  base::Atomic<int> running{0};
  App app = echo_app();
  app.get("/later", [&running](Request& request) {
    return [](base::Atomic<int>& count, Request&) -> Task<Response> {
      count.fetch_add(1, base::relaxed);  // relaxed: polled
      co_await sleep_for(100ms);
      co_return Response::text(std::string(100'000, 'x'));
    }(running, request);
  });
  ServedApp served(std::move(app));
  const std::string requests[] = {"GET / HT", get("/later"), get("/later") + get("/later"),
                                  "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab"};
  for (int round = 0; round != 5; ++round) {
    for (const std::string& request : requests) {
      HttpClient leaves(served.port());
      leaves.send(request);
      leaves.close();
      HttpClient resets(served.port());
      resets.send(request);
      resets.reset();
    }
  }
  // The requests of clients that closed are handled; those of clients that reset may have been lost.
  CHECK(test::eventually([&] { return running.load(base::relaxed) >= 10; }));  // relaxed: polled
  CHECK(served.has_connections(0));
}

TEST_SUITE_END();
}  // namespace volt::http::server
