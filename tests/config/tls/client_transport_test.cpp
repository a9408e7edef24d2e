// SPDX-License-Identifier: MIT

// Certificate verification by HttpClient over https.
#include <doctest/doctest.h>

#include <chrono>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/tls/tls.h"
#include "http/client/client.h"
#include "http/http.h"
#include "http/server/server.h"
#include "http/websocket/websocket_client.h"
#include "runtime/runtime.h"
#include "tests/support/canned_server.h"
#include "tests/support/engine.h"
#include "tests/support/websocket_handlers.h"
#include "tests/tls/test_certificate.h"
#include "tls/error.h"

namespace volt {
namespace {

using namespace std::chrono_literals;
using tls::test::Subject;
using tls::test::TestCertificate;

// An App on a TLS listener with a given certificate.
class SecureApp {
 public:
  explicit SecureApp(const TestCertificate& certificate) : runtime_(test_options()), server_(runtime_, make_app()) {
    const tls::Options options{.certificate = certificate.pem(), .key = certificate.key_pem()};
    address_ = server_.listen(*Address::parse("127.0.0.1:0"), tls::listener_options(options)).value();
  }

  // Returns the bodies of two requests, or the message of an error.
  [[nodiscard]] std::string get(http::HttpClient& client, const std::string& host) {
    return runtime_.block_on([&] { return fetch(client, host); });
  }
  // Returns what a WebSocket has received after it has sent a message, or why there was none.
  [[nodiscard]] std::string echo(http::HttpClient& client, const std::string& host) {
    std::string echoed;
    const auto ask = [&echoed](http::WebSocket& socket) -> Task<> {
      co_await socket.send_text("hello");
      const auto message = co_await socket.receive();
      echoed = message.value_or(http::WebSocket::Message()).data;
    };
    const auto connected = runtime_.block_on(
        [&] { return http::with_websocket(client, "wss://" + host + "/ws", {.via = address_}, ask); });
    return connected ? echoed : connected.error().to_string();
  }
  [[nodiscard]] std::size_t connections() const { return server_.connection_count(); }

 private:
  static http::App make_app() {
    http::App app;
    app.get("/", [](const http::Request& request) { return std::string(request.secure() ? "secure" : "plain"); });
    app.get("/long", [] { return std::string(300'000, 'x'); });
    app.ws("/ws", test::echo);
    return app;
  }

  Task<std::string> fetch(http::HttpClient& client, std::string host) {
    std::string all;
    for (const char* target : {"/", "/long"}) {
      http::ClientRequest request(http::Method::get, "https://" + host + target);
      request.via(address_);
      Result<http::ClientResponse> response = co_await client.send(std::move(request));
      if (!response) co_return response.error().message();
      const Result<std::string> body = co_await response->text();
      if (!body) co_return body.error().message();
      all += body->size() > 100 ? " and " + std::to_string(body->size()) : *body;
    }
    co_return all;
  }

  Runtime runtime_;
  http::Server server_;
  Address address_;
};

http::ClientOptions trusting(const std::string& authorities) {
  return {.tls = tls::client_transport({.authorities = authorities})};
}

std::string message_of(tls::Error error) { return make_error_code(error).message(); }

}  // namespace

TEST_SUITE_BEGIN("config/tls/client_transport");

TEST_CASE("a certificate is valid for the names that a trusted authority signed, until it expires") {
  const TestCertificate authority(Subject{.common_name = "authority", .authority = true});
  const TestCertificate stranger(Subject{.common_name = "stranger", .authority = true});
  const std::string believed = "secure and 300000";
  const std::string refused = message_of(tls::Error::certificate_refused);
  struct Case {
    std::string why;
    Subject subject;
    std::string host;
    std::string want;
  };
  const Case cases[] = {
      {"its name", {.names = "DNS:a.example", .issuer = &authority}, "a.example", believed},
      {"names are case-insensitive", {.names = "DNS:a.example", .issuer = &authority}, "A.Example", believed},
      {"a wildcard", {.names = "DNS:*.a.example", .issuer = &authority}, "b.a.example", believed},
      {"an address", {.names = "IP:192.0.2.1", .issuer = &authority}, "192.0.2.1", believed},
      {"an IPv6 address", {.names = "IP:2001:db8::1", .issuer = &authority}, "[2001:db8::1]", believed},
      {"a wildcard for two labels", {.names = "DNS:*.a.example", .issuer = &authority}, "c.b.a.example", refused},
      {"a wildcard below a top-level domain", {.names = "DNS:*.example", .issuer = &authority}, "a.example", refused},
      {"another name", {.names = "DNS:b.example", .issuer = &authority}, "a.example", refused},
      {"a subdomain", {.names = "DNS:a.example", .issuer = &authority}, "b.a.example", refused},
      {"another address", {.names = "IP:192.0.2.2", .issuer = &authority}, "192.0.2.1", refused},
      {"an address as a name", {.names = "DNS:192.0.2.1", .issuer = &authority}, "192.0.2.1", refused},
      {"only a common name", {.common_name = "a.example", .issuer = &authority}, "a.example", refused},
      {"an unknown authority", {.names = "DNS:a.example", .issuer = &stranger}, "a.example", refused},
      {"self-signed", {.names = "DNS:a.example"}, "a.example", refused},
      {"expired",
       {.names = "DNS:a.example", .issuer = &authority, .first_day = -9, .last_day = -1},
       "a.example",
       refused},
      {"not valid yet", {.names = "DNS:a.example", .issuer = &authority, .first_day = 2}, "a.example", refused},
  };
  for (const auto& [why, subject, host, want] : cases) {
    CAPTURE(why);
    SecureApp app{TestCertificate(subject)};
    http::HttpClient client(trusting(authority.pem()));
    CHECK(app.get(client, host) == want);
    CHECK(client.idle_connections() == (want == believed ? 1 : 0));
    if (want == believed) CHECK(app.get(client, host) == want);
    if (want == believed) CHECK(app.connections() == 1);
  }
}

TEST_CASE("the system's authorities do not trust a test authority, and a missing file is an error") {
  const TestCertificate authority(Subject{.common_name = "authority", .authority = true});
  SecureApp app{TestCertificate(Subject{.names = "DNS:a.example", .issuer = &authority})};
  http::HttpClient client({.tls = tls::client_transport()});
  CHECK(app.get(client, "a.example") == message_of(tls::Error::certificate_refused));
  CHECK_THROWS_AS(static_cast<void>(tls::client_transport({.authorities = "/no/such/file"})), std::invalid_argument);
}

TEST_CASE("a WebSocket over TLS verifies the server's certificate") {
  const TestCertificate authority(Subject{.common_name = "authority", .authority = true});
  SecureApp app{TestCertificate(Subject{.names = "DNS:a.example", .issuer = &authority})};
  http::HttpClient client(trusting(authority.pem()));
  CHECK(app.echo(client, "a.example") == "hello");
  CHECK(app.echo(client, "b.example") == message_of(tls::Error::certificate_refused));
}

TEST_CASE("a server that does not respond to the handshake times out") {
  Runtime runtime(test_options());
  const test::CannedServer silent({});
  http::HttpClient client({.connect_timeout = 200ms, .tls = tls::client_transport()});
  const std::error_code failure = runtime.block_on([&]() -> Task<std::error_code> {
    const Result<http::ClientResponse> response =
        co_await client.send(http::ClientRequest(http::Method::get, "https" + silent.uri().substr(4)));
    co_return response ? std::error_code() : response.error();
  });
  CHECK(failure == std::errc::timed_out);
}

}  // namespace volt
