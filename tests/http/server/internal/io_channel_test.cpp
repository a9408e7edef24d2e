// SPDX-License-Identifier: MIT

#include "http/server/internal/io_channel.h"

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "http/server/server.h"
#include "http/transport/transport.h"
#include "http/web/event_stream.h"
#include "runtime/base/atomic.h"
#include "tests/support/engine.h"
#include "tests/support/http_client.h"
#include "tests/support/waiting.h"

namespace volt::http::server {
namespace {

using namespace std::chrono_literals;
using test::HttpClient;

// The calls of one transport, and whether two of them overlapped.
struct Calls {
  base::Atomic<int> under_way{0};
  base::Atomic<bool> overlapped{false};
};

// Lasts long enough to overlap with another.
class Call {
 public:
  explicit Call(Calls& calls) noexcept : calls_(calls) {
    if (calls_.under_way.fetch_add(1, base::relaxed) != 0)
      calls_.overlapped.store(true, base::relaxed);  // relaxed: facts
    test::burn(100us);
  }
  ~Call() { calls_.under_way.fetch_sub(1, base::relaxed); }  // relaxed: a count
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

 private:
  Calls& calls_;
};

// Passes bytes on unchanged.
class PassingOn : public Transport {
 public:
  using Transport::Transport;
  [[nodiscard]] Task<Result<void>> open() override { co_return Result<void>{}; }
  [[nodiscard]] bool secure() const noexcept override { return false; }
  [[nodiscard]] const message::TypedStore& facts() const noexcept override { return facts_; }

 private:
  message::TypedStore facts_;
};

// Detects overlapping calls, which TLS does not allow.
class Witness final : public PassingOn {
 public:
  Witness(TcpStream& socket, Calls& calls) noexcept : PassingOn(socket), calls_(calls) {}

  [[nodiscard]] Result<std::size_t> try_read(std::span<std::byte> into) noexcept override {
    const Call call(calls_);
    return PassingOn::try_read(into);
  }
  [[nodiscard]] Result<std::size_t> try_write(std::span<const std::byte> from) noexcept override {
    const Call call(calls_);
    return PassingOn::try_write(from);
  }

 private:
  Calls& calls_;
};

// Is opened by a byte of the client; as in a TLS handshake, a wait that fails ends the connection.
class Greeted final : public PassingOn {
 public:
  explicit Greeted(TcpStream& socket) noexcept : PassingOn(socket) {}

  [[nodiscard]] Task<Result<void>> open() override {
    std::byte greeting;
    const Result<std::size_t> count = co_await read({&greeting, 1});
    if (!count) co_return std::unexpected(count.error());
    if (*count == 0) co_return error(std::errc::connection_reset);
    co_return Result<void>{};
  }
};

template <class Made>
class SourceOf final : public TransportSource {
 public:
  explicit SourceOf(std::function<std::unique_ptr<Made>(TcpStream&)> make) : make_(std::move(make)) {}

  [[nodiscard]] std::unique_ptr<Transport> make(TcpStream& socket) override { return make_(socket); }
  [[nodiscard]] std::expected<void, std::string> reload() override { return {}; }
  [[nodiscard]] std::vector<std::string> files() const override { return {}; }
  [[nodiscard]] std::vector<std::string> warnings() const override { return {}; }

 private:
  std::function<std::unique_ptr<Made>(TcpStream&)> make_;
};

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/io_channel");

// An event stream waits for the client's close in one task and writes in another, as a WebSocket may.
TEST_CASE("calls of a transport do not overlap, although one task reads while another writes") {
  constexpr int kEvents = 300;
  Calls calls;
  App app;
  app.get("/", [](EventStream& out) -> Task<> {
    for (int i = 0; i != kEvents; ++i) co_await out.send(std::to_string(i));
  });
  Runtime runtime(test_options());
  Server server(runtime, std::move(app));
  const auto source =
      std::make_shared<SourceOf<Witness>>([&](TcpStream& socket) { return std::make_unique<Witness>(socket, calls); });
  const auto bound = server.listen(*Address::parse("127.0.0.1:0"), {.transport = source});
  REQUIRE(bound);
  HttpClient client(*bound);
  client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  std::string read;
  while (read.find("data: " + std::to_string(kEvents - 1) + "\n") == std::string::npos) {
    const std::string some = client.read_some();
    REQUIRE_FALSE(some.empty());
    read += some;
    client.send("x");
  }
  CHECK_FALSE(calls.overlapped.load(base::relaxed));  // relaxed: a fact
}

TEST_CASE("a drain gives a client in a handshake the time to send a request") {
  const auto source =
      std::make_shared<SourceOf<Greeted>>([](TcpStream& socket) { return std::make_unique<Greeted>(socket); });
  for (const bool silent : {false, true}) {
    CAPTURE(silent);
    App app;
    app.get("/", [] { return "hello"; });
    Runtime runtime(test_options());
    Server server(runtime, std::move(app), {.drain_idle_timeout = silent ? 1ms : 60s});
    const auto bound = server.listen(*Address::parse("127.0.0.1:0"), {.transport = source});
    REQUIRE(bound);
    HttpClient client(*bound);
    REQUIRE(test::eventually([&] { return server.connection_count() == 1; }));
    server.start_drain();
    for (int i = 0; i != 100; ++i) {  // often enough to interrupt a wait
      server.nudge();
      std::this_thread::sleep_for(100us);
    }
    if (!silent) {
      client.send("!GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      const test::Reply reply = client.read();
      CHECK(reply.body == "hello");
      CHECK(reply.closes());
      client.close();
    }
    CHECK(test::eventually([&] { return server.nudge(), server.drained(); }));
  }
}

TEST_CASE("a balancer that sends no PROXY header does not hold up a drain") {
  Runtime runtime(test_options());
  Server server(runtime, App(), {.head_timeout = 1h, .drain_idle_timeout = 1ms});
  const auto bound = server.listen(*Address::parse("127.0.0.1:0"), {.proxy_protocol_from = {"127.0.0.1"}});
  REQUIRE(bound);
  const HttpClient client(*bound);
  REQUIRE(test::eventually([&] { return server.connection_count() == 1; }));
  server.start_drain();
  CHECK(test::eventually([&] { return server.nudge(), server.drained(); }));
}

TEST_SUITE_END();
}  // namespace volt::http::server
