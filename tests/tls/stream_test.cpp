// SPDX-License-Identifier: MIT

// Tests of Stream over sockets, on the I/O engine that VOLT_TEST_IO names.
#include "tls/stream.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/runtime.h"
#include "runtime/tcp.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"
#include "tests/tls/client_server_pair.h"

namespace volt::tls {
namespace {

using namespace std::chrono_literals;
using test::TestCertificate;
using volt::test::Pair;

std::shared_ptr<const Context> context(std::chrono::milliseconds handshake_timeout = 10s) {
  static const TestCertificate site({.common_name = "site", .names = "DNS:site.example"});
  Options options = test::options_for(site);
  options.handshake_timeout = handshake_timeout;
  return test::load(options);
}

// A client over a blocking socket, for use on a separate thread.
class BlockingClient {
 public:
  explicit BlockingClient(int fd, const test::ClientOptions& options = {}) : client_(options), fd_(fd) {}

  bool handshake() {
    while (!client_.done() && !client_.failed()) {
      client_.handshake();
      if (!flush() || client_.done() || client_.failed()) break;
      if (!receive()) return false;
    }
    return client_.done();
  }
  void write(std::string_view text) {
    client_.write(text);
    flush();
  }
  // Returns at least `bytes_min` decrypted bytes, or all bytes up to the end of the stream.
  std::string read(std::size_t bytes_min) {
    std::string text = client_.read();
    while (text.size() < bytes_min && receive()) text += client_.read();
    return text;
  }
  void close_notify() {
    client_.close_notify();
    flush();
  }
  [[nodiscard]] bool saw_close_notify() const { return client_.saw_close_notify(); }

 private:
  bool flush() { return volt::test::send_all(fd_, client_.take_output()); }
  bool receive() {
    char piece[16 * 1024];
    ssize_t count = 0;
    do {
      count = ::recv(fd_, piece, sizeof piece, 0);
    } while (count < 0 && errno == EINTR);  // the kernel's teardown of io_uring rings can interrupt system calls
    if (count <= 0) return false;
    client_.feed({piece, static_cast<std::size_t>(count)});
    return true;
  }

  test::OpensslClient client_;
  const int fd_;
};

// Echoes data until the stream ends. Returns 0 or the error at its end.
Task<Result<std::size_t>> echo(Stream& stream) {
  const Result<void> ready = co_await stream.handshake();
  if (!ready) co_return std::unexpected(ready.error());
  std::vector<std::byte> buffer(3000);
  for (;;) {
    const Result<std::size_t> count = co_await stream.read(buffer);
    if (!count || *count == 0) co_return count;
    const Result<void> written = co_await stream.write_all(std::span(buffer).first(*count));
    if (!written) co_return std::unexpected(written.error());
  }
}

Task<Result<std::size_t>> serve_echo(TcpStream socket, std::shared_ptr<const Context> loaded) {
  Stream stream(std::move(socket), std::move(loaded));
  co_return co_await echo(stream);
}

Task<Result<std::size_t>> serve_echo_over_reference(TcpStream socket, std::shared_ptr<const Context> loaded) {
  Stream stream(socket, std::move(loaded));
  co_return co_await echo(stream);
}

Task<Result<std::size_t>> serve_echo_over_any(TcpStream socket, std::shared_ptr<const Context> loaded) {
  std::unique_ptr<volt::Stream> below = std::make_unique<TcpStream>(std::move(socket));
  Stream stream(std::move(below), std::move(loaded));
  co_return co_await echo(stream);
}

TcpStream stream_of(Pair& pair) { return TcpStream(pair.near.release()); }

}  // namespace

TEST_SUITE_BEGIN("tls/stream");

TEST_CASE("data is echoed until the peer sends close_notify") {
  Runtime runtime(test_options());
  for (Task<Result<std::size_t>> (*serve)(TcpStream, std::shared_ptr<const Context>) :
       {serve_echo, serve_echo_over_reference, serve_echo_over_any}) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      for (Pair (*connect)() : {volt::test::unix_pair, volt::test::tcp_pair}) {
        Pair pair = connect();
        JoinHandle server = runtime.spawn(serve, stream_of(pair), context());
        BlockingClient client(pair.far.get(), {.version = version});
        REQUIRE(client.handshake());
        for (const std::size_t bytes : {1, 2999, 3000, 3001, 16'384, 16'385, 50'000}) {
          const std::string text(bytes, static_cast<char>('a' + bytes % 26));
          client.write(text);
          CHECK((client.read(bytes) == text));
        }
        client.close_notify();
        REQUIRE(volt::test::eventually([&] { return server.done(); }));
        CHECK(server.task().take() == std::size_t{0});
        CHECK(client.read(1).empty());
        CHECK(client.saw_close_notify());
      }
    }
  }
}

TEST_CASE("a megabyte arrives completely at a slow reader") {
  Runtime runtime(test_options());
  std::string text(1'000'000, '\0');
  for (std::size_t i = 0; i != text.size(); ++i) text[i] = static_cast<char>('a' + i % 23);
  Pair pair = volt::test::tcp_pair();
  const auto send = [](TcpStream socket, std::shared_ptr<const Context> loaded, std::string all) -> Task<bool> {
    Stream stream(std::move(socket), std::move(loaded));
    const Result<void> ready = co_await stream.handshake();
    if (!ready) co_return false;
    const Result<void> written = co_await stream.write_all(std::as_bytes(std::span(all)));
    co_return written.has_value();
  };
  JoinHandle server = runtime.spawn(send, stream_of(pair), context(), text);
  BlockingClient client(pair.far.get());
  REQUIRE(client.handshake());
  std::this_thread::sleep_for(20ms);
  CHECK((client.read(text.size()) == text));
  REQUIRE(volt::test::eventually([&] { return server.done(); }));
  CHECK(server.task().take());
}

TEST_CASE("an end without close_notify is an error") {
  Runtime runtime(test_options());
  Pair pair = volt::test::tcp_pair();
  JoinHandle server = runtime.spawn(serve_echo, stream_of(pair), context());
  BlockingClient client(pair.far.get());
  REQUIRE(client.handshake());
  ::shutdown(pair.far.get(), SHUT_WR);
  REQUIRE(volt::test::eventually([&] { return server.done(); }));
  const auto end = server.task().take();
  REQUIRE_FALSE(end);
  CHECK(end.error() == Error::truncated);
}

TEST_CASE("a handshake times out if the client is silent or slow") {
  Runtime runtime(test_options());
  for (const bool drips : {false, true}) {
    CAPTURE(drips);
    Pair pair = volt::test::tcp_pair();
    JoinHandle server = runtime.spawn(serve_echo, stream_of(pair), context(60ms));
    std::string hello = [] {
      test::OpensslClient client;
      client.handshake();
      return client.take_output();
    }();
    for (std::size_t i = 0; drips && i != hello.size() - 1 && !server.done(); ++i) {
      volt::test::send_all(pair.far.get(), hello.substr(i, 1));
      std::this_thread::sleep_for(1ms);
    }
    REQUIRE(volt::test::eventually([&] { return server.done(); }));
    const auto end = server.task().take();
    REQUIRE_FALSE(end);
    CHECK(end.error() == std::errc::timed_out);
  }
}

TEST_CASE("the deadline of the handshake does not apply after the handshake") {
  Runtime runtime(test_options());
  Pair pair = volt::test::tcp_pair();
  JoinHandle server = runtime.spawn(serve_echo, stream_of(pair), context(100ms));
  BlockingClient client(pair.far.get());
  REQUIRE(client.handshake());
  std::this_thread::sleep_for(150ms);
  client.write("late");
  CHECK(client.read(4) == "late");
}

TEST_CASE("plain HTTP is detected, and a plain-text response can be sent") {
  Runtime runtime(test_options());
  Pair pair = volt::test::tcp_pair();
  const auto answer = [](TcpStream socket, std::shared_ptr<const Context> loaded) -> Task<bool> {
    Stream stream(std::move(socket), std::move(loaded));
    const Result<void> ready = co_await stream.handshake();
    if (ready || ready.error() != Error::plain_http) co_return false;
    const std::string refusal = "HTTP/1.1 400 Bad Request\r\n\r\n";
    const Result<std::size_t> sent = stream.next().try_write(std::as_bytes(std::span(refusal)));
    // libssl 3.2 and later read only 5 bytes of the request, and closing a socket with unread bytes
    // resets the connection.
    std::byte dropped[64];
    [[maybe_unused]] const Result<std::size_t> rest = stream.next().try_read(dropped);
    co_return sent == refusal.size();
  };
  JoinHandle server = runtime.spawn(answer, stream_of(pair), context());
  REQUIRE(volt::test::send_all(pair.far.get(), "GET / HTTP/1.1\r\n\r\n"));
  CHECK(volt::test::receive_exactly(pair.far.get(), 28) == "HTTP/1.1 400 Bad Request\r\n\r\n");
  REQUIRE(volt::test::eventually([&] { return server.done(); }));
  CHECK(server.task().take());
  CHECK(volt::test::receive_some(pair.far.get()) == 0);  // no alert follows
}

TEST_CASE("readable() completes immediately while decrypted bytes are buffered") {
  Runtime runtime(test_options());
  Pair pair = volt::test::tcp_pair();
  const auto read_singly = [](TcpStream socket, std::shared_ptr<const Context> loaded) -> Task<std::string> {
    Stream stream(std::move(socket), std::move(loaded));
    const Result<void> shaken = co_await stream.handshake();
    if (!shaken) co_return "no handshake";
    std::string text;
    stream.set_read_deadline_in(5s);
    while (text.size() != 5) {
      const Result<void> ready = co_await stream.readable();
      if (!ready) co_return text + ": " + ready.error().message();
      std::byte byte{};
      if (const auto count = stream.try_read({&byte, 1})) text += static_cast<char>(byte);
    }
    co_return text;
  };
  JoinHandle server = runtime.spawn(read_singly, stream_of(pair), context());
  BlockingClient client(pair.far.get());
  REQUIRE(client.handshake());
  client.write("hello");
  REQUIRE(volt::test::eventually([&] { return server.done(); }));
  CHECK(server.task().take() == "hello");
}

TEST_CASE("shutdown_write ends only the sending direction") {
  Runtime runtime(test_options());
  Pair pair = volt::test::tcp_pair();
  const auto end_then_read = [](TcpStream socket, std::shared_ptr<const Context> loaded) -> Task<std::string> {
    Stream stream(std::move(socket), std::move(loaded));
    const Result<void> ready = co_await stream.handshake();
    if (!ready) co_return "no handshake";
    stream.shutdown_write();
    std::string text(100, '\0');
    const Result<std::size_t> count = co_await stream.read(std::as_writable_bytes(std::span(text)));
    text.resize(count.value_or(0));
    co_return text;
  };
  JoinHandle server = runtime.spawn(end_then_read, stream_of(pair), context());
  BlockingClient client(pair.far.get());
  REQUIRE(client.handshake());
  CHECK(client.read(1).empty());
  CHECK(client.saw_close_notify());
  client.write("late");
  REQUIRE(volt::test::eventually([&] { return server.done(); }));
  CHECK(server.task().take() == "late");
}

}  // namespace volt::tls
