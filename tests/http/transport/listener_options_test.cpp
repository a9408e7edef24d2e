// SPDX-License-Identifier: MIT

#include "http/transport/listener_options.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

#include "http/middleware/client_address.h"
#include "http/server/app.h"
#include "http/server/server.h"
#include "http/transport/transport.h"
#include "http/web/extract.h"
#include "http/web/stream.h"
#include "tests/support/directory.h"
#include "tests/support/engine.h"
#include "tests/support/http_client.h"

namespace volt::http {
namespace {

using namespace std::chrono_literals;
using test::HttpClient;

const std::string kV1 = "PROXY TCP4 203.0.113.7 192.0.2.1 54321 443\r\n";
const std::string kWho = "GET /who HTTP/1.1\r\nHost: a\r\n\r\n";

// A transport that shifts each byte by one, both ways, and reads ahead: like TLS, but without its cryptography. The
// client's first byte must be '!', else open() fails.
class Shifting final : public Transport {
 public:
  explicit Shifting(TcpStream& socket) : Transport(socket) { facts_.put<std::string>("shifted"); }

  [[nodiscard]] Task<Result<void>> open() override {
    std::array<std::byte, 64> ahead{};
    const Result<std::size_t> count = co_await socket().read(ahead);
    if (!count) co_return std::unexpected(count.error());
    if (*count == 0 || ahead[0] != std::byte{'!'}) co_return error(std::errc::protocol_error);
    for (const std::byte byte : std::span(ahead).first(*count).subspan(1)) unread_ += shifted(byte, -1);
    announce_unread();
    co_return Result<void>{};
  }

  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override {
    if (unread_.empty()) {
      std::array<std::byte, 64> ahead;
      const Result<std::size_t> count = socket().try_read(ahead);
      if (!count || *count == 0) return count;
      for (const std::byte byte : std::span(ahead).first(*count)) unread_ += shifted(byte, -1);
    }
    const std::size_t count = std::min<std::size_t>({into.size(), unread_.size(), 5});
    std::ranges::copy(std::as_bytes(std::span(unread_).first(count)), into.begin());
    unread_.erase(0, count);
    announce_unread();
    return count;
  }

  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override {
    std::string text;
    for (const std::byte byte : from.first(std::min<std::size_t>(from.size(), 1000))) text += shifted(byte, 1);
    return socket().try_write(std::as_bytes(std::span(text)));
  }

  void shutdown_write() noexcept override {
    [[maybe_unused]] const auto count = socket().try_write(std::as_bytes(std::span("end", 3)));
    socket().shutdown_write();
  }
  [[nodiscard]] bool secure() const noexcept override { return true; }
  [[nodiscard]] const message::TypedStore& facts() const noexcept override { return facts_; }

  static char shifted(std::byte byte, int by) { return static_cast<char>(std::to_integer<int>(byte) + by); }

 private:
  void announce_unread() noexcept {
    if (!unread_.empty()) socket().expect_more();
  }

  std::string unread_;
  message::TypedStore facts_;
};

std::string shift(std::string text, int by) {
  for (char& byte : text) byte = static_cast<char>(byte + by);
  return text;
}

class ShiftingSource final : public TransportSource {
 public:
  [[nodiscard]] std::unique_ptr<Transport> make(TcpStream& socket) override {
    return std::make_unique<Shifting>(socket);
  }
  [[nodiscard]] std::expected<void, std::string> reload() override { return {}; }
  [[nodiscard]] std::vector<std::string> files() const override { return {}; }
  [[nodiscard]] std::vector<std::string> warnings() const override { return {}; }
};

App who_app() {
  App app;
  app.get("/who", [](ClientAddress client) { return client.text(); });
  app.get("/transport", [](const Request& request) {
    const std::string* fact = request.connection_fact<std::string>();
    return std::string(request.secure() ? "secure " : "open ") + (fact ? *fact : "nothing");
  });
  app.post("/echo", [](const Request& request) { return std::string(request.body()); });
  return app;
}

class Listening {
 public:
  explicit Listening(ListenerOptions options, const std::string& where = "127.0.0.1:0")
      : runtime_(test_options()), server_(runtime_, who_app(), {.head_timeout = 2s}) {
    const auto bound = server_.listen(*Address::parse(where), std::move(options));
    REQUIRE(bound);
    address_ = *bound;
  }

  [[nodiscard]] HttpClient connect() const { return HttpClient(address_); }

  // Returns the body of the response to `bytes`, or "closed".
  [[nodiscard]] std::string response_to(std::string_view bytes) const {
    HttpClient client = connect();
    try {
      client.send(bytes);
      if (bytes.ends_with(kWho)) return client.read().body;
    } catch (const std::runtime_error&) {  // expected: no response means "closed"
    }
    CHECK(client.end() != HttpClient::End::still_open);
    return "closed";
  }

 private:
  Runtime runtime_;
  Server server_;
  Address address_;
};

}  // namespace

TEST_SUITE_BEGIN("http/transport/listener_options");

TEST_CASE("a load balancer names the client before the client's first byte") {
  const Listening served({.proxy_protocol_from = {"127.0.0.0/8"}});
  const std::string v2("\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xcb\0\x71\x07\xc0\0\x02\x01\xd4\x31\x01\xbb", 28);
  const std::string local("\r\n\r\n\0\r\nQUIT\n\x20\0\0\0", 16);
  CHECK(served.response_to(kV1 + kWho) == "203.0.113.7");
  CHECK(served.response_to("PROXY TCP6 2001:db8::7 2001:db8::1 54321 443\r\n" + kWho) == "2001:db8::7");
  CHECK(served.response_to(v2 + kWho) == "203.0.113.7");
  CHECK(served.response_to(local + kWho) == "127.0.0.1");
  CHECK(served.response_to("PROXY UNKNOWN\r\n" + kWho) == "127.0.0.1");
}

TEST_CASE("the PROXY header may arrive in pieces") {
  const Listening served({.proxy_protocol_from = {"127.0.0.1"}});
  const std::string whole = kV1 + kWho;
  for (std::size_t cut = 1; cut != whole.size(); ++cut) {
    CAPTURE(cut);
    HttpClient client = served.connect();
    client.send(whole.substr(0, cut));
    std::this_thread::sleep_for(500us);
    client.send(whole.substr(cut));
    CHECK(client.read().body == "203.0.113.7");
  }
}

TEST_CASE("every request of the connection is attributed to that client") {
  const Listening served({.proxy_protocol_from = {"127.0.0.1"}});
  HttpClient client = served.connect();
  client.send(kV1 + kWho + kWho);
  CHECK(client.read().body == "203.0.113.7");
  CHECK(client.read().body == "203.0.113.7");
  CHECK(client.ask(kWho).body == "203.0.113.7");
}

TEST_CASE("a connection without a valid PROXY header is closed without a response") {
  const Listening served({.proxy_protocol_from = {"127.0.0.1"}});
  for (const std::string& bytes :
       {kWho, "PROXY TCP4 203.0.113.7\r\n" + kWho, "PROXY " + std::string(200, 'x') + kWho, "\r\n" + kV1 + kWho}) {
    CAPTURE(bytes);
    CHECK(served.response_to(bytes) == "closed");
  }
}

TEST_CASE("a connection without a complete PROXY header is closed in time") {
  const Listening served({.proxy_protocol_from = {"127.0.0.1"}});
  CHECK(served.response_to("PROXY TCP4") == "closed");
}

TEST_CASE("only the configured load balancers are trusted") {
  const Listening served({.proxy_protocol_from = {"10.0.0.0/8", "unix:"}});
  CHECK(served.response_to(kV1 + kWho) == "closed");
  const test::Directory directory;
  const Listening unix_socket({.proxy_protocol_from = {"unix:"}}, directory.unix_address("app"));
  CHECK(unix_socket.response_to(kV1 + kWho) == "203.0.113.7");
  const Listening other({.proxy_protocol_from = {"127.0.0.1"}}, directory.unix_address("other"));
  CHECK(other.response_to(kV1 + kWho) == "closed");
  CHECK_THROWS_AS(Listening({.proxy_protocol_from = {"10.0.0.0/33"}}), std::invalid_argument);
}

TEST_CASE("without the option, a PROXY header is not a request") {
  const Listening served(ListenerOptions{});
  HttpClient client = served.connect();
  CHECK(client.ask(kV1 + kWho).status == 400);
}

TEST_CASE("a transport transforms the bytes between the socket and HTTP") {
  const Listening served({.proxy_protocol_from = {}, .transport = std::make_shared<ShiftingSource>()});
  HttpClient client = served.connect();
  const std::string ask = "GET /transport HTTP/1.1\r\nHost: a\r\n\r\n";
  client.send("!" + shift(ask + ask, 1));
  const std::string want = "\r\n\r\nsecure shifted";
  const std::string once = shift(client.read_until(shift(want, 1)), -1);
  CHECK(once.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(shift(client.read_until(shift(want, 1)), -1).starts_with("HTTP/1.1 200 OK\r\n"));

  const std::string body(50'000, 'b');
  client.send(shift("POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 50000\r\n\r\n" + body, 1));
  const std::string answer = shift(client.read_until(shift("b", 1) + "end"), -1);
  CHECK(std::ranges::count(answer.substr(answer.find("\r\n\r\n")), 'b') == 50'000);
  CHECK(client.end() == HttpClient::End::closed);
}

TEST_CASE("a transport may refuse a client, and follows the load balancer's header") {
  const Listening served({.proxy_protocol_from = {}, .transport = std::make_shared<ShiftingSource>()});
  CHECK(served.response_to("?") == "closed");
  const Listening behind({.proxy_protocol_from = {"127.0.0.1"}, .transport = std::make_shared<ShiftingSource>()});
  HttpClient client = behind.connect();
  client.send(kV1 + "!" + shift(kWho, 1));
  CHECK(shift(client.read_until(shift("\r\n\r\n203.0.113.7", 1)), -1).starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_SUITE_END();
}  // namespace volt::http
