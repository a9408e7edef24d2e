// SPDX-License-Identifier: MIT

// The client with valid, unusual and invalid responses, and with servers that close, stall or send too much.
// client_test.cpp runs it against our own server.
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "http/client/client.h"
#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/support/allocated_bytes.h"
#include "tests/support/canned_server.h"
#include "tests/support/engine.h"
#include "tests/support/fetched.h"
#include "tests/support/sanitizers.h"
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using test::CannedServer;
using test::fetch;
using test::Turn;
using namespace std::chrono_literals;

std::string fetch_by(Runtime& runtime, HttpClient& client, Method method, const std::string& uri) {
  return runtime.block_on([&] { return fetch(client, ClientRequest(method, uri)); });
}

std::string message_of(ClientError error) { return make_error_code(error).message(); }

std::string timed_out() { return std::make_error_code(std::errc::timed_out).message(); }

ClientOptions small_options() { return {.head_bytes_max = 1024, .body_bytes_max = 1000}; }

// The wait that is meant to time out is short, and the other is not.
ClientOptions quick_options(bool has_head) {
  ClientOptions options = small_options();
  (has_head ? options.transfer_timeout : options.response_timeout) = 300ms;
  return options;
}

constexpr const char* kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

}  // namespace

TEST_SUITE_BEGIN("http/client/client_responses");

TEST_CASE("a response ends where RFC 9112 says, and its connection is kept or closed") {
  struct Case {
    std::string why;
    Method method;
    Turn turn;
    std::string want;
    bool kept;
  };
  const std::string long_body(1001, 'x');
  const Case cases[] = {
      {"Content-Length delimits the body", Method::get, {kOk}, "200 ok", true},
      {"chunks delimit the body, with an extension and trailers",
       Method::get,
       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;a=b\r\no\r\n1\r\nk\r\n0\r\nX: y\r\n\r\n"},
       "200 ok",
       true},
      {"the connection's end delimits the body", Method::get, {"HTTP/1.1 200 OK\r\n\r\nok", true}, "200 ok", false},
      {"HTTP/1.0 closes the connection",
       Method::get,
       {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", true},
       "200 ok",
       false},
      {"a response to HEAD has no body", Method::head, {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"}, "200 ", true},
      {"a 204 has no body", Method::del, {"HTTP/1.1 204 No Content\r\n\r\n"}, "204 ", true},
      {"a 304 has no body, whatever its Content-Length",
       Method::get,
       {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"},
       "304 ",
       true},
      {"Connection: close",
       Method::get,
       {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", true},
       "200 ok",
       false},
      {"interim responses are skipped",
       Method::get,
       {std::string("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n") + kOk},
       "200 ok",
       true},
      {"a response that arrives byte by byte", Method::get, {.answer = "", .drip = kOk}, "200 ok", true},
      {"unexpected bytes after the response", Method::get, {std::string(kOk) + kOk}, "200 ok", false},
      {"101 without a requested upgrade",
       Method::get,
       {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"},
       message_of(ClientError::upgraded),
       false},
      {"not HTTP", Method::get, {"hello\r\n\r\n"}, message_of(ClientError::malformed), false},
      {"HTTP/2", Method::get, {"HTTP/2 200 OK\r\n\r\n"}, message_of(ClientError::malformed), false},
      {"two values of Content-Length",
       Method::get,
       {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"},
       message_of(ClientError::malformed),
       false},
      {"Content-Length and chunks",
       Method::get,
       {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
       message_of(ClientError::malformed),
       false},
      {"a folded field",
       Method::get,
       {"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n"},
       message_of(ClientError::malformed),
       false},
      {"an invalid chunk",
       Method::get,
       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"},
       "200 " + message_of(ClientError::malformed),
       false},
      {"a truncated head",
       Method::get,
       {"HTTP/1.1 200 OK\r\nContent-", true},
       message_of(ClientError::truncated),
       false},
      {"an immediate end of the connection", Method::get, {"", true}, message_of(ClientError::truncated), false},
      {"a truncated body",
       Method::get,
       {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok", true},
       "200 " + message_of(ClientError::truncated),
       false},
      {"the last chunk is missing",
       Method::get,
       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", true},
       "200 " + message_of(ClientError::truncated),
       false},
      {"a head too large",
       Method::get,
       {"HTTP/1.1 200 OK\r\nA: " + std::string(2000, 'x') + "\r\n\r\n"},
       message_of(ClientError::too_large),
       false},
      {"a body too large by its length",
       Method::get,
       {"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + long_body},
       message_of(ClientError::too_large),
       false},
      {"a body too large by its chunks",
       Method::get,
       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" + long_body + "\r\n0\r\n\r\n"},
       "200 " + message_of(ClientError::too_large),
       false},
      {"a body too large up to the connection's end",
       Method::get,
       {"HTTP/1.1 200 OK\r\n\r\n" + long_body, true},
       "200 " + message_of(ClientError::too_large),
       false},
      {"a server that sends nothing", Method::get, {""}, timed_out(), false},
      {"a body that stalls",
       Method::get,
       {"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok"},
       "200 " + timed_out(),
       false},
  };
  Runtime runtime(test_options());
  for (const auto& [why, method, turn, want, kept] : cases) {
    CAPTURE(why);
    const CannedServer server({turn});
    HttpClient client(want.ends_with(timed_out()) ? quick_options(want != timed_out()) : small_options());
    CHECK(fetch_by(runtime, client, method, server.uri()) == want);
    CHECK(client.idle_connections() == (kept ? 1 : 0));
    if (!kept) CHECK(test::eventually([&] { return server.open_connections() == 0; }));
    CHECK(server.requests().size() == 1);
  }
}

TEST_CASE("a request consists of its line, Host, its fields and its body") {
  Runtime runtime(test_options());
  const CannedServer server({{kOk}, {kOk}, {kOk}});
  HttpClient client;
  const std::string host = server.uri("").substr(7);
  runtime.block_on([&]() -> Task<> {
    ClientRequest get(Method::get, server.uri("/a?b=c#d"));
    get.header("Accept", "text/plain").add_header("X", "1").add_header("X", "2");
    const std::string got = co_await fetch(client, std::move(get));
    CHECK(got == "200 ok");
    ClientRequest post(Method::post, server.uri());
    post.body("hello", "text/plain");
    post.header("Host", "other.example");
    const std::string posted = co_await fetch(client, std::move(post));
    CHECK(posted == "200 ok");
    const std::string put = co_await fetch(client, ClientRequest(Method::put, server.uri()));
    CHECK(put == "200 ok");
  });
  const std::vector<std::string> requests = server.requests();
  REQUIRE(requests.size() == 3);
  CHECK(requests[0] == "GET /a?b=c HTTP/1.1\r\nHost: " + host + "\r\nAccept: text/plain\r\nX: 1\r\nX: 2\r\n\r\n");
  CHECK(requests[1] ==
        "POST / HTTP/1.1\r\nContent-Type: text/plain\r\nHost: other.example\r\nContent-Length: 5\r\n\r\nhello");
  CHECK(requests[2] == "PUT / HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 0\r\n\r\n");
  CHECK(server.connections() == 1);
}

TEST_CASE("fields that could smuggle a second request are refused before anything is sent") {
  ClientRequest request(Method::get, "http://a/");
  struct Case {
    std::string why;
    std::string name;
    std::string value;
  };
  const Case cases[] = {
      {"a line break in the value", "X", "a\r\nY: b"},
      {"a bare CR in the value", "X", "a\rb"},
      {"a bare LF in the value", "X", "a\nb"},
      {"a NUL in the value", "X", std::string("a\0b", 3)},
      {"a line break in the name", "X: y\r\nZ", "a"},
      {"Content-Length", "Content-Length", "3"},
      {"Transfer-Encoding", "transfer-encoding", "chunked"},
      {"Connection", "Connection", "close"},
      {"Upgrade", "Upgrade", "h2c"},
      {"Expect", "Expect", "100-continue"},
      {"two hosts", "Host", "a, b"},
      {"userinfo in Host", "Host", "a@b"},
  };
  for (const auto& [why, name, value] : cases) {
    CAPTURE(why);
    CHECK_THROWS_AS(request.header(name, value), std::invalid_argument);
    CHECK_THROWS_AS(request.add_header(name, value), std::invalid_argument);
  }
  Runtime runtime(test_options());
  HttpClient client;
  CHECK(fetch_by(runtime, client, Method::get, "http://a/\r\n") == message_of(ClientError::bad_uri));
  CHECK(fetch_by(runtime, client, Method::connect, "http://a/") == message_of(ClientError::bad_uri));
  CHECK(fetch_by(runtime, client, Method::get, "https://a/") == message_of(ClientError::no_tls));
}

TEST_CASE("a request on a kept connection that has ended is repeated, but only if it is idempotent") {
  Runtime runtime(test_options());
  {
    // The server responds once, and closes the connection when the next request arrives.
    const CannedServer server({{kOk}, {"", true}, {kOk}});
    HttpClient client;
    CHECK(fetch_by(runtime, client, Method::get, server.uri()) == "200 ok");
    CHECK(fetch_by(runtime, client, Method::get, server.uri()) == "200 ok");
    CHECK(server.requests().size() == 3);
    CHECK(server.connections() == 2);
  }
  {
    const CannedServer server({{kOk}, {"", true}, {kOk}});
    HttpClient client;
    CHECK(fetch_by(runtime, client, Method::get, server.uri()) == "200 ok");
    CHECK(fetch_by(runtime, client, Method::post, server.uri()) == message_of(ClientError::truncated));
    CHECK(server.requests().size() == 2);
  }
  {
    // A request is not repeated after part of a response was received.
    const CannedServer server({{kOk}, {"HTTP", true}, {kOk}});
    HttpClient client;
    CHECK(fetch_by(runtime, client, Method::get, server.uri()) == "200 ok");
    CHECK(fetch_by(runtime, client, Method::get, server.uri()) == message_of(ClientError::truncated));
    CHECK(server.requests().size() == 2);
  }
  {
    // A connection that ended earlier is detected before the request is sent.
    const CannedServer server({{kOk, true}, {kOk}});
    HttpClient client;
    CHECK(fetch_by(runtime, client, Method::get, server.uri()) == "200 ok");
    CHECK(test::eventually([&] { return server.open_connections() == 0; }));
    CHECK(fetch_by(runtime, client, Method::post, server.uri()) == "200 ok");
    CHECK(server.requests().size() == 2);
  }
}

TEST_CASE("whole_timeout bounds the exchange although each wait is short") {
  Runtime runtime(test_options());
  const CannedServer server(
      {{.answer = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", .drip = std::string(100'000, 'x')}});
  HttpClient client({.whole_timeout = 3s});
  CHECK(fetch_by(runtime, client, Method::get, server.uri()) == "200 " + timed_out());
}

TEST_CASE("a cancelled request closes its connection") {
  Runtime runtime(test_options());
  const CannedServer server({});
  HttpClient client;
  const auto ask = [](Borrowed<HttpClient> asked, std::string uri) -> Task<> {
    [[maybe_unused]] const std::string answer = co_await fetch(asked.get(), ClientRequest(Method::get, std::move(uri)));
  };
  JoinHandle<void> asking = runtime.spawn(ask, borrow(client), server.uri());
  CHECK(test::eventually([&] { return server.requests().size() == 1; }));
  asking.cancel();
  CHECK(runtime.block_on(test::outcome_of<void>, std::move(asking)) == test::Outcome::cancelled);
  CHECK(test::eventually([&] { return server.open_connections() == 0; }));
  CHECK(client.idle_connections() == 0);
}

TEST_CASE("an error response before the body's end stops the sending") {
  class Endless final : public ClientBody {
   public:
    [[nodiscard]] Task<std::optional<std::string_view>> next() override {
      co_await sleep_for(1ms);
      ++pieces;
      co_return std::string_view("0123456789");
    }
    int pieces = 0;
  };
  Runtime runtime(test_options());
  const CannedServer server(
      {{.answer = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno", .at_head = true}});
  HttpClient client;
  const std::string answer = runtime.block_on([&] {
    ClientRequest request(Method::post, server.uri());
    request.body(std::make_unique<Endless>());
    return fetch(client, std::move(request));
  });
  CHECK(answer == "413 no");
  CHECK(client.idle_connections() == 0);  // the request was not sent completely
}

TEST_CASE("a response whose body has been read keeps its head, but not the buffer into which it was received") {
  Runtime runtime(test_options());
  const std::string value(std::size_t{2} << 20, 'x');
  const CannedServer server({{"HTTP/1.1 200 OK\r\nX: " + value + "\r\nContent-Length: 2\r\n\r\nok"}});
  HttpClient client({.head_bytes_max = std::size_t{4} << 20});
  runtime.block_on([&]() -> Task<> {
    Result<ClientResponse> response = co_await client.send(ClientRequest(Method::get, server.uri()));
    REQUIRE(response);
    const std::size_t before = test::allocated_bytes();
    const Result<std::string> text = co_await response->text();
    CHECK(text == "ok");
    if (!test::kSanitized) CHECK(test::allocated_bytes() + value.size() / 2 < before);
    CHECK((response->header("x") == value));
    const Result<std::optional<std::string_view>> end = response->try_next();
    REQUIRE(end);
    CHECK_FALSE(*end);
  });
  CHECK(client.idle_connections() == 1);
}

}  // namespace volt::http
