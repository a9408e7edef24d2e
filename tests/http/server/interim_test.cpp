// SPDX-License-Identifier: MIT

// Interim responses that a handler sends before its response, and the client's callback for them.
#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "http/client/client.h"
#include "http/http.h"
#include "http/testing/test_client.h"
#include "runtime/base/atomic.h"
#include "runtime/concurrent.h"
#include "tests/support/canned_server.h"
#include "tests/support/fetched.h"
#include "tests/support/http_client.h"
#include "tests/support/served_app.h"
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::CannedServer;
using test::Reply;
using test::ServedApp;

Response hints(Status status = Status::early_hints) {
  return Response(status).header("Link", "</style.css>; rel=preload");
}

// The producer of a streamed response, which reads the request's body itself.
Task<> give_back(BodyWriter& out, BodyStream& body, bool flushes) {
  if (flushes) co_await out.flush();
  for (;;) {
    const std::optional<std::string_view> piece = co_await body.read();
    if (!piece) co_return;
    co_await out.write(*piece);
  }
}

App make_interim_app() {
  App app;
  app.post("/give-back", [](BodyStream body) { return stream("text/plain", give_back, std::move(body), false); });
  app.post("/flush-first", [](BodyStream body) { return stream("text/plain", give_back, std::move(body), true); });
  app.get("/plain", [](Request& request) { return request.send_interim(hints()) ? "sent" : "not sent"; });
  app.get("/coroutine", [](Request& request) -> Task<std::string> {
    const bool first = request.send_interim(Response(Status{102}));
    const bool second = request.send_interim(hints());
    co_return first&& second ? "sent" : "not sent";
  });
  app.post("/body", [](Request& request, BodyStream body) -> Task<std::string> {
    request.send_interim(hints());
    std::string all;
    while (const auto piece = co_await body.read()) all += *piece;
    co_return all;
  });
  app.get("/wrong/{status}", [](Request& request, Path<int> status) {
    try {
      request.send_interim(hints(Status{static_cast<std::uint16_t>(*status)}));
      return "accepted";
    } catch (const std::invalid_argument&) {
      return "refused";
    }
  });
  return app;
}

// Sends interim responses until a client that does not read takes no more.
void fill_connection(Request& request) {
  const std::string text(1000, 'x');
  while (request.send_interim(hints().add_header("X-Text", text))) {
  }
}

// Reads the body for a moment. The client takes nothing of the 100 that would make it send the body.
Task<> give_up_reading(BodyStream& body) {
  const auto piece = co_await within(50ms, [&] { return body.read(); });
  CHECK_FALSE(piece.has_value());
}

Task<> write_after_giving_up(BodyWriter& out, BodyStream& body) {
  co_await give_up_reading(body);
  co_await out.write("gave up");
}

Task<> give_back_after_giving_up(BodyWriter& out, BodyStream& body) {
  co_await give_up_reading(body);
  co_await give_back(out, body, false);
}

std::string read_to_end(test::HttpClient& client) {
  std::string all;
  for (std::string some = client.read_some(); !some.empty(); some = client.read_some()) all += some;
  return all;
}

constexpr std::string_view kHead = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n";

}  // namespace

TEST_SUITE_BEGIN("http/server/interim");

TEST_CASE("a producer that reads the body makes a client send it, with no 100 behind the final head") {
  ServedApp served(make_interim_app());
  const std::string rest = " HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
  test::HttpClient client(served.port());
  CHECK(client.ask("POST /give-back" + rest).status == 100);
  client.send("hello");
  const std::string response = read_to_end(client);
  CHECK(response.starts_with("HTTP/1.1 200"));
  CHECK(response.find("100 Continue") == std::string::npos);
  CHECK(response.find("hello") != std::string::npos);
  test::HttpClient other(served.port());
  other.send("POST /flush-first" + rest + "hello");
  const std::string all = read_to_end(other);
  CHECK(all.starts_with("HTTP/1.1 200"));
  CHECK(all.find("100 Continue") == std::string::npos);
  CHECK(all.find("hello") != std::string::npos);
}

TEST_CASE("a producer that fails while it reads the body gets one final response") {
  ServedApp served(make_interim_app());
  test::HttpClient client(served.port());
  client.send(
      "GET /plain HTTP/1.1\r\nHost: a\r\n\r\n"  // pipelined
      "POST /give-back HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n");
  CHECK(client.read().status == 103);
  CHECK(client.read().body == "sent");
  CHECK(client.read().status == 100);
  client.send("no chunk\r\n");
  const std::string all = read_to_end(client);
  CHECK(all.starts_with("HTTP/1.1 400"));
  CHECK(all.find("HTTP/1.1", 1) == std::string::npos);
  CHECK(all.find('\0') == std::string::npos);
}

TEST_CASE("a handler sends interim responses before its response") {
  ServedApp served(make_interim_app());
  test::HttpClient client(served.port());
  const Reply first = client.ask("GET /plain HTTP/1.1\r\nHost: a\r\n\r\n");
  CHECK(first.head == kHead);
  CHECK(client.read().body == "sent");
  CHECK(client.ask("GET /coroutine HTTP/1.1\r\nHost: a\r\n\r\n").status == 102);
  CHECK(client.read().head == kHead);
  CHECK(client.read().body == "sent");

  client.send("GET /plain HTTP/1.1\r\nHost: a\r\n\r\nGET /coroutine HTTP/1.1\r\nHost: a\r\n\r\n");
  for (const int status : {103, 200, 102, 103, 200}) CHECK(client.read().status == status);

  client.send("POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
  CHECK(client.read().status == 103);
  CHECK(client.read().status == 100);
  CHECK(client.ask("body").body == "body");
}

TEST_CASE("a client of HTTP/1.0 gets no interim response, RFC 9110 section 15.2") {
  ServedApp served(make_interim_app());
  test::HttpClient client(served.port());
  const Reply reply = client.ask("GET /plain HTTP/1.0\r\nHost: a\r\n\r\n");
  CHECK(reply.status == 200);
  CHECK(reply.body == "not sent");
}

TEST_CASE("only a status from 102 to 199 is interim; the server itself sends 100 and 101") {
  ServedApp served(make_interim_app());
  test::HttpClient client(served.port());
  for (const char* status : {"100", "101", "200", "404"}) {
    CAPTURE(status);
    CHECK(client.ask(std::string("GET /wrong/") + status + " HTTP/1.1\r\nHost: a\r\n\r\n").body == "refused");
  }
  CHECK(client.ask("GET /wrong/199 HTTP/1.1\r\nHost: a\r\n\r\n").status == 199);
  CHECK(client.read().body == "accepted");
}

TEST_CASE("interim responses for a client that does not read take bounded memory") {
  base::Atomic<bool> ended{false};
  App app;
  app.get("/", [&ended](Request& request) {
    const std::string text(1000, 'x');
    int sent = 0;
    while (sent != 100'000 && request.send_interim(hints().add_header("X-Text", text))) ++sent;
    ended.store(true, base::seq_cst);
    return sent == 100'000 ? "unbounded" : "bounded";
  });
  ServedApp served(std::move(app));
  test::HttpClient client(served.port(), {.receive_bytes = 4096});
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  REQUIRE(test::eventually([&] { return ended.load(base::seq_cst); }));
  Reply reply = client.read();
  while (reply.status == 103) reply = client.read();
  CHECK(reply.body == "bounded");
}

TEST_CASE(
    "after a read that is cancelled while the 100 is being sent, the rest of the 100 and one final response follow") {
  App app;
  app.post("/handler", [](Request& request, BodyStream body) -> Task<std::string> {
    fill_connection(request);
    co_await give_up_reading(body);
    co_return "gave up";
  });
  app.post("/producer", [](Request& request, BodyStream body) {
    fill_connection(request);
    return stream("text/plain", write_after_giving_up, std::move(body));
  });
  app.get("/next", [] { return "next"; });
  TestClient client(std::move(app), {.io = test_options().io});
  const struct {
    std::string why, path, end;
  } cases[] = {
      {"the connection is used on", "/handler", "\r\n\r\nnext"},
      {"the head that was composed before the 100 says close", "/producer", "\r\n\r\n7\r\ngave up\r\n0\r\n\r\n"},
  };
  for (const auto& [why, path, end] : cases) {
    CAPTURE(why);
    auto connection = client.raw();
    connection.send("POST " + path + " HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    client.clock().advance(50ms);
    connection.send("helloGET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const std::string all = connection.read_rest();
    const std::size_t proceed = all.find("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n");
    REQUIRE(proceed != std::string::npos);
    CHECK(all.rfind("HTTP/1.1 103") < proceed);
    CHECK(all.find("100 Continue") == all.rfind("100 Continue"));
    CHECK(all.find("gave up", proceed) != std::string::npos);
    CHECK(all.ends_with(end));
  }
}

TEST_CASE("a read after one that was cancelled while the 100 was being sent sends the rest of the 100") {
  App app;
  app.post("/handler", [](Request& request, BodyStream body) -> Task<std::string> {
    fill_connection(request);
    co_await give_up_reading(body);
    const auto piece = co_await body.read();
    co_return std::string(piece.value_or("nothing"));
  });
  app.post("/producer", [](Request& request, BodyStream body) {
    fill_connection(request);
    return stream("text/plain", give_back_after_giving_up, std::move(body));
  });
  TestClient client(std::move(app), {.io = test_options().io});
  for (const std::string path : {"/handler", "/producer"}) {
    CAPTURE(path);
    auto connection = client.raw();
    connection.send("POST " + path + " HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
    client.clock().advance(50ms);
    std::string before(connection.peek());
    REQUIRE(before.ends_with("\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"));
    connection.send("hello");
    const std::string all(connection.peek());
    CHECK(all.find("HTTP/1.1 200 OK\r\n", before.size()) == before.size());
    CHECK(all.find("hello", before.size()) != std::string::npos);
  }
}

TEST_CASE(
    "a client that does not accept the 100 is disconnected in time, although each read is cancelled and repeated") {
  App app;
  app.post("/", [](Request& request, BodyStream body) -> Task<std::string> {
    fill_connection(request);
    for (;;) {
      const auto piece = co_await within(50ms, [&] { return body.read(); });
      if (piece) co_return "it has been read";
    }
  });
  TestClient client(std::move(app), {.server = {.stall_timeout = 2s}, .io = test_options().io});
  auto connection = client.raw();
  connection.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  client.clock().advance(1900ms);
  CHECK(client.server().connection_count() == 1);
  client.clock().advance(3s);  // the 100 has stall_timeout, and so has the rest when the handler has ended
  CHECK(client.server().connection_count() == 0);
}

TEST_CASE("the client passes interim responses to its callback, except 101, for each attempt") {
  Runtime runtime(test_options());
  const std::string heads =
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
      "HTTP/1.1 103 Early Hints\r\nLink: </b>\r\n\r\n";
  const CannedServer server({{heads + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"},
                             {.answer = "HTTP/1.1 103 Early Hints\r\n\r\n", .closes = true}});
  volt::http::HttpClient client;
  std::vector<std::string> seen;
  const auto get = [&] {
    ClientRequest request(Method::get, server.uri());
    request.on_interim([&](Status status, const Fields& fields) {
      seen.push_back(std::to_string(code(status)) + std::string(fields.find("link").value_or("")));
    });
    return test::fetch(client, std::move(request));
  };
  CHECK(runtime.block_on(get) == "200 ok");
  CHECK(seen == std::vector<std::string>{"100", "103</a>", "103</b>"});
  seen.clear();
  CHECK(runtime.block_on(get).starts_with("200") == false);
  CHECK(seen == std::vector<std::string>{"103"});
}

TEST_SUITE_END();

}  // namespace volt::http
