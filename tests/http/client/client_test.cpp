// SPDX-License-Identifier: MIT

// The client against our own server: bodies in both directions, kept connections, redirects. client_responses_test.cpp
// tests unusual responses.
#include "http/client/client.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "http/http.h"
#include "http/web/stream.h"
#include "runtime/borrowed.h"
#include "runtime/scope.h"
#include "runtime/time.h"
#include "tests/support/canned_server.h"
#include "tests/support/fetched.h"
#include "tests/support/served_app.h"
#include "tests/support/streamed_request_body.h"
#include "tests/support/waiting.h"

namespace volt::http {
namespace {

using test::CannedServer;
using test::fetch;
using test::ServedApp;
using test::StreamedRequestBody;
using test::Turn;
using namespace std::chrono_literals;

std::string pattern(std::size_t bytes) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i != bytes; ++i) text[i] = static_cast<char>('a' + (i * 7 + i / 4093) % 26);
  return text;
}

constexpr std::size_t kLongBytes = 3'000'000;

Task<> write_long(BodyWriter& out) {
  const std::string text = pattern(kLongBytes);
  for (std::size_t at = 0; at < text.size(); at += 50'000) {
    co_await out.write(std::string_view(text).substr(at, 50'000));
  }
  out.trailer("X-Count", std::to_string(kLongBytes));
}

App make_app() {
  App app;
  app.get("/hello", [] { return "hello"; });
  app.get("/long", [] { return http::stream("text/plain", write_long); });
  app.get("/nothing", [] { return Response::no_content(); });
  app.post("/echo", [](const Request& request) { return std::string(request.body()); });
  return app;
}

std::string uri_of(const ServedApp& served, const std::string& target) {
  return "http://" + served.address().to_string() + target;
}

}  // namespace

TEST_SUITE_BEGIN("http/client/client");

TEST_CASE("one connection carries consecutive requests, whatever their bodies") {
  ServedApp served(make_app());
  HttpClient client;
  served.runtime().block_on([&]() -> Task<> {
    for (int round = 0; round != 20; ++round) {
      const std::string got = co_await fetch(client, ClientRequest(Method::get, uri_of(served, "/hello")));
      CHECK(got == "200 hello");
      const std::string head = co_await fetch(client, ClientRequest(Method::head, uri_of(served, "/hello")));
      CHECK(head == "200 ");
      const std::string none = co_await fetch(client, ClientRequest(Method::get, uri_of(served, "/nothing")));
      CHECK(none == "204 ");
      const std::string text = pattern(static_cast<std::size_t>(round) * 3'000);
      ClientRequest post(Method::post, uri_of(served, "/echo"));
      post.body(text, "text/plain");
      const std::string echoed = co_await fetch(client, std::move(post));
      CHECK(echoed == "200 " + text);
    }
  });
  CHECK(client.idle_connections() == 1);
  CHECK(served.server().connection_count() == 1);
}

TEST_CASE("a long body is received in pieces, followed by its trailers") {
  ServedApp served(make_app());
  HttpClient client;
  served.runtime().block_on([&]() -> Task<> {
    Result<ClientResponse> response = co_await client.send(ClientRequest(Method::get, uri_of(served, "/long")));
    REQUIRE(response);
    CHECK(response->header("content-type") == "text/plain");
    std::string text;
    std::size_t longest = 0;
    for (;;) {
      const Result<std::optional<std::string_view>> piece = co_await response->next();
      REQUIRE(piece);
      if (!*piece) break;
      longest = std::max(longest, (*piece)->size());
      text += **piece;
    }
    CHECK(text == pattern(kLongBytes));
    CHECK(longest <= 64 * 1024);
    CHECK(response->trailers().find("x-count") == std::to_string(kLongBytes));
  });
  CHECK(client.idle_connections() == 1);
}

TEST_CASE("a response that is destroyed before its end closes its connection") {
  ServedApp served(make_app());
  HttpClient client;
  served.runtime().block_on([&]() -> Task<> {
    const Result<ClientResponse> response = co_await client.send(ClientRequest(Method::get, uri_of(served, "/long")));
    CHECK(response);
  });
  CHECK(client.idle_connections() == 0);
  CHECK(served.has_connections(0));
}

TEST_CASE("a request body is streamed with its size or in chunks, and must have the announced size") {
  ServedApp served(make_app());
  HttpClient client;
  const std::string text = pattern(500'000);
  for (const std::optional<std::uint64_t> size : {std::optional<std::uint64_t>(text.size()), {}}) {
    const std::string echoed = served.runtime().block_on([&] {
      ClientRequest post(Method::post, uri_of(served, "/echo"));
      post.body(std::make_unique<StreamedRequestBody>(text, 7'001, size));
      return fetch(client, std::move(post));
    });
    CHECK(echoed == "200 " + text);
  }
  CHECK(client.idle_connections() == 1);
  for (const std::uint64_t size : {499'999, 500'001}) {
    CHECK_THROWS_AS(served.runtime().block_on([&] {
      ClientRequest post(Method::post, uri_of(served, "/echo"));
      post.body(std::make_unique<StreamedRequestBody>(text, 7'001, size));
      return fetch(client, std::move(post));
    }),
                    std::length_error);
  }
  CHECK(client.idle_connections() == 0);
}

TEST_CASE("many tasks share a client, and at most idle_per_origin_max connections are kept") {
  ServedApp served(make_app());
  HttpClient client({.idle_per_origin_max = 3});
  const auto ask = [](Borrowed<HttpClient> asked, std::string uri, int times) -> Task<> {
    for (int i = 0; i != times; ++i) {
      const std::string answer = co_await fetch(asked.get(), ClientRequest(Method::get, uri));
      CHECK(answer == "200 hello");
    }
  };
  served.runtime().block_on([&] {
    return with_scope([&](Scope& scope) -> Task<> {
      for (int i = 0; i != 16; ++i) scope.spawn(ask, borrow(client), uri_of(served, "/hello"), 20);
      co_return;
    });
  });
  CHECK(client.idle_connections() <= 3);
  CHECK(client.idle_connections() >= 1);
  CHECK(served.has_connections(client.idle_connections()));
}

TEST_CASE("connections are kept per origin, up to idle_max in all and for idle_timeout") {
  ServedApp first(make_app());
  ServedApp second(make_app());
  Runtime& runtime = first.runtime();
  HttpClient client({.idle_max = 1, .idle_timeout = 50ms});
  const auto get = [&](const ServedApp& served) {
    return runtime.block_on([&] { return fetch(client, ClientRequest(Method::get, uri_of(served, "/hello"))); });
  };
  CHECK(get(first) == "200 hello");
  CHECK(get(second) == "200 hello");
  CHECK(client.idle_connections() == 1);
  CHECK(first.has_connections(0));
  // The remaining connection has reached its timeout when the next request takes from the pool.
  runtime.block_on([]() -> Task<> { co_await sleep_for(100ms); });
  CHECK(get(second) == "200 hello");
  CHECK(test::eventually([&] { return second.server().connection_count() == 1; }));
}

TEST_CASE("redirects are followed up to redirects_max, with the method and the body that their status prescribes") {
  Runtime runtime(test_options());
  const auto to = [](const std::string& status, const std::string& location) {
    return Turn{"HTTP/1.1 " + status + " X\r\nLocation: " + location + "\r\nContent-Length: 4\r\n\r\ngone"};
  };
  const Turn ok{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"};
  struct Case {
    std::string why;
    std::string status;
    std::string location;
    std::string want;       // status and body of the response
    std::string want_next;  // the second request's line; empty: no second request
  };
  const Case cases[] = {
      {"found: a POST becomes a GET", "302", "/b", "200 ok", "GET /b HTTP/1.1"},
      {"see other: every method becomes a GET", "303", "c?d", "200 ok", "GET /c?d HTTP/1.1"},
      {"temporary: a POST stays a POST", "307", "/b", "200 ok", "POST /b HTTP/1.1"},
      {"permanent: a POST stays a POST", "308", "/b", "200 ok", "POST /b HTTP/1.1"},
      {"another scheme", "302", "ftp://a/", "302 gone", ""},
      {"an invalid Location", "302", "http://a b/", "302 gone", ""},
      {"not a redirect", "300", "/b", "300 gone", ""},
  };
  for (const auto& [why, status, location, want, want_next] : cases) {
    CAPTURE(why);
    const CannedServer server({to(status, location), ok});
    HttpClient client({.redirects_max = 3});
    CHECK(runtime.block_on([&] {
      ClientRequest post(Method::post, server.uri("/a"));
      post.body("body", "text/plain");
      return fetch(client, std::move(post));
    }) == want);
    const auto requests = server.requests();
    REQUIRE(requests.size() == (want_next.empty() ? 1 : 2));
    if (want_next.empty()) continue;
    CHECK(requests[1].starts_with(want_next + "\r\n"));
    CHECK(requests[1].ends_with("body") == want_next.starts_with("POST"));
  }
  const CannedServer loop({to("302", "/"), to("302", "/"), to("302", "/")});
  HttpClient client({.redirects_max = 2});
  const auto get = [&](HttpClient& asked) {
    return runtime.block_on([&] { return fetch(asked, ClientRequest(Method::get, loop.uri())); });
  };
  CHECK(get(client) == "302 gone");
  CHECK(loop.requests().size() == 3);
  CHECK(loop.connections() == 1);
}

TEST_CASE("a redirect carries no credentials to another origin, and none is followed by default") {
  Runtime runtime(test_options());
  const CannedServer other({{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"}});
  const Turn away{"HTTP/1.1 302 X\r\nLocation: " + other.uri("/x") + "\r\nContent-Length: 0\r\n\r\n"};
  const CannedServer server({away, away});
  const auto get = [&](ClientOptions options) {
    HttpClient client(std::move(options));
    return runtime.block_on([&] {
      ClientRequest request(Method::get, server.uri());
      request.header("Authorization", "Bearer t").header("Cookie", "a=b").header("X", "y");
      return fetch(client, std::move(request));
    });
  };
  CHECK(get({}) == "302 ");
  CHECK(other.requests().empty());
  CHECK(get({.redirects_max = 1}) == "200 ok");
  REQUIRE(other.requests().size() == 1);
  CHECK(other.requests()[0] == "GET /x HTTP/1.1\r\nHost: " + other.uri("").substr(7) + "\r\nX: y\r\n\r\n");
}

TEST_CASE("forward() copies all fields but those of the proxy's own connection") {
  Runtime runtime(test_options());
  const CannedServer behind({{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"}});
  App app;
  app.get("/", [&](Request& request) -> Task<Response> {
    HttpClient client;
    ClientRequest onward(Method::get, behind.uri());
    onward.forward(request.headers());
    std::string answer = co_await fetch(client, std::move(onward));
    co_return Response::text(std::move(answer));
  });
  ServedApp front(std::move(app));
  HttpClient client;
  CHECK(front.runtime().block_on([&] {
    ClientRequest request(Method::get, uri_of(front, "/"));
    request.header("Accept", "text/plain").header("X-Mine", "1").header("X_Mine", "2");
    return fetch(client, std::move(request));
  }) == "200 200 ok");
  REQUIRE(behind.requests().size() == 1);
  const std::string host = behind.uri("").substr(7);
  CHECK(behind.requests()[0] == "GET / HTTP/1.1\r\nHost: " + host + "\r\nAccept: text/plain\r\nX-Mine: 1\r\n\r\n");
}

TEST_CASE("via() connects to another address than the URI's") {
  ServedApp served(make_app());
  HttpClient client;
  const auto get = [&](const std::string& uri) {
    return served.runtime().block_on([&] {
      ClientRequest request(Method::get, uri);
      request.via(served.address());
      return fetch(client, std::move(request));
    });
  };
  CHECK(get("http://no.such.name.invalid/hello") == "200 hello");
  CHECK(get("http://no.such.name.invalid/hello") == "200 hello");
  CHECK(client.idle_connections() == 1);
}

}  // namespace volt::http
