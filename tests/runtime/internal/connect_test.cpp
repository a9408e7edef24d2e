// SPDX-License-Identifier: MIT

#include "runtime/internal/connect.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>

#include <ostream>
#include <string>
#include <vector>

#include "runtime/concurrent.h"
#include "runtime/resolve.h"
#include "runtime/runtime.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::Descriptor;
using namespace std::chrono_literals;

Address any_port(const char* host) { return Address::parse(std::string(host) + ":0").value(); }

// An address without a listener: its port is bound to a socket that does not listen.
class ClosedPort {
 public:
  ClosedPort() : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const Address wanted = any_port("127.0.0.1");
    REQUIRE(::bind(fd_.get(), wanted.data(), wanted.size_bytes()) == 0);
    sockaddr_storage storage{};
    socklen_t bytes = sizeof storage;
    REQUIRE(::getsockname(fd_.get(), reinterpret_cast<sockaddr*>(&storage), &bytes) == 0);
    address = Address::from(reinterpret_cast<sockaddr*>(&storage), bytes);
  }
  Address address;

 private:
  Descriptor fd_;
};

// A listener that accepts no further connection: its backlog is full, so the kernel drops connects.
class BlackHole {
 public:
  explicit BlackHole(const Address& at) : listener_(TcpListener::bind(at, {.backlog = 0}).value()) {
    address = listener_.local_address();
    for (bool answered = true; answered;) {
      Descriptor client(::socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
      ::connect(client.get(), address.data(), address.size_bytes());
      pollfd connected{.fd = client.get(), .events = POLLOUT, .revents = 0};
      answered = ::poll(&connected, 1, 300) == 1;
      REQUIRE(clients_.size() < 64);
      clients_.push_back(std::move(client));
    }
  }
  Address address;

 private:
  TcpListener listener_;
  std::vector<Descriptor> clients_;
};

std::errc code_of(const Result<TcpStream>& stream) {
  return stream ? std::errc{} : static_cast<std::errc>(stream.error().default_error_condition().value());
}

Task<Result<TcpStream>> connect_to_each(std::vector<Address> addresses, std::chrono::nanoseconds delay) {
  co_return co_await TcpStream::connect(std::move(addresses), {.attempt_delay = delay});
}

// Returns the address of the peer that was connected, or the error message.
std::string reached(Runtime& runtime, std::vector<Address> addresses, std::chrono::nanoseconds delay) {
  const Result<TcpStream> stream = runtime.block_on([&] { return connect_to_each(addresses, delay); });
  return stream ? stream->peer_address().value().to_string() : stream.error().message();
}

Task<bool> exchange(std::string host, std::uint16_t port) {
  Result<TcpStream> stream = co_await TcpStream::connect(std::move(host), port);
  if (!stream) co_return false;
  const std::string hello = "hello";
  const Result<void> written = co_await stream->write_all(std::as_bytes(std::span(hello)));
  std::vector<std::byte> answer(16);
  const Result<std::size_t> count = co_await stream->read(answer);
  co_return written&& count && *count == 5;
}

Task<> answer_one(TcpListener listener) {
  Result<TcpStream> stream = co_await listener.accept();
  std::vector<std::byte> received(16);
  const Result<std::size_t> count = co_await stream->read(received);
  if (!count) co_return;
  [[maybe_unused]] const Result<void> written = co_await stream->write_all(std::span(received).first(*count));
}

Task<> connect_and_stay(Address address) {
  [[maybe_unused]] const Result<TcpStream> stream = co_await TcpStream::connect(address);
}

Address v4(int last) { return Address::parse("192.0.2." + std::to_string(last) + ":1").value(); }
Address v6(int last) { return Address::parse("[2001:db8::" + std::to_string(last) + "]:1").value(); }

}  // namespace

TEST_SUITE_BEGIN("runtime/internal/connect");

TEST_CASE("address families alternate, beginning with that of the first address") {
  struct Case {
    std::string why;
    std::vector<Address> given;
    std::vector<Address> want;
  };
  const Case cases[] = {
      {"none", {}, {}},
      {"one", {v4(1)}, {v4(1)}},
      {"one family keeps its order", {v6(2), v6(1)}, {v6(2), v6(1)}},
      {"the families alternate", {v6(1), v6(2), v4(1), v4(2)}, {v6(1), v4(1), v6(2), v4(2)}},
      {"IPv4 is preferred", {v4(1), v6(1), v6(2)}, {v4(1), v6(1), v6(2)}},
      {"the surplus of the second family comes last", {v6(1), v4(1), v4(2), v4(3)}, {v6(1), v4(1), v4(2), v4(3)}},
      {"the surplus of the first family comes last", {v6(1), v6(2), v6(3), v4(1)}, {v6(1), v4(1), v6(2), v6(3)}},
  };
  for (const auto& [why, given, want] : cases) {
    CAPTURE(why);
    CHECK(net::interleave_families(given) == want);
  }
}

TEST_CASE("a listener is reached by its address and by its name, and data flows both ways") {
  Runtime runtime(test_options());
  for (const char* host : {"127.0.0.1", "localhost"}) {
    TcpListener listener = TcpListener::bind(any_port("127.0.0.1")).value();
    const std::uint16_t port = listener.local_address().port();
    const JoinHandle<void> server = runtime.spawn(answer_one, std::move(listener));
    CHECK(runtime.block_on(exchange, std::string(host), port));
    CHECK(test::eventually([&] { return server.done(); }));
  }
}

TEST_CASE("a refused connection is an error, and the next address is tried at once") {
  Runtime runtime(test_options());
  const ClosedPort closed;
  const ClosedPort closed_too;
  const TcpListener listener = TcpListener::bind(any_port("127.0.0.1")).value();
  const Result<TcpStream> refused = runtime.block_on([&] { return TcpStream::connect(closed.address); });
  CHECK(code_of(refused) == std::errc::connection_refused);
  const Result<TcpStream> nowhere = runtime.block_on([&] { return connect_to_each({}, 1h); });
  CHECK(code_of(nowhere) == std::errc::invalid_argument);
  const Result<TcpStream> all =
      runtime.block_on([&] { return connect_to_each({closed.address, closed_too.address}, 1h); });
  CHECK(code_of(all) == std::errc::connection_refused);
  // The delay between attempts is an hour, so that only the failure can have started the next attempt.
  const std::string peer = reached(runtime, {closed.address, closed_too.address, listener.local_address()}, 1h);
  CHECK(peer == listener.local_address().to_string());
}

TEST_CASE("an address that does not respond is overtaken, and its attempt is closed") {
  Runtime runtime(test_options());
  const BlackHole silent(any_port("127.0.0.1"));
  const BlackHole silent_too(any_port("127.0.0.1"));
  const TcpListener listener = TcpListener::bind(any_port("127.0.0.1")).value();
  const std::string want = listener.local_address().to_string();
  const std::size_t before = test::open_descriptors();
  CHECK(reached(runtime, {silent.address, silent_too.address, listener.local_address()}, 5ms) == want);
  CHECK(test::eventually([&] { return test::open_descriptors() <= before; }));

  if (auto other = TcpListener::bind(any_port("[::1]"))) {  // if the machine has IPv6
    const std::string other_want = other->local_address().to_string();
    // The address of the second family is tried before the second address of the first family.
    CHECK(reached(runtime, {silent.address, listener.local_address(), other->local_address()}, 2s) == other_want);
  }
}

TEST_CASE("an attempt that other attempts have overtaken may still win") {
  Runtime runtime(test_options());
  const ClosedPort closed;
  const BlackHole silent(any_port("127.0.0.1"));
  const TcpListener listener = TcpListener::bind(any_port("127.0.0.1")).value();
  // The last attempt fails at once; the earlier attempts continue.
  const std::string peer = reached(runtime, {listener.local_address(), silent.address, closed.address}, 0ns);
  CHECK(peer == listener.local_address().to_string());
}

TEST_CASE("a cancel and within() end a connect early, and no descriptor is leaked") {
  Runtime runtime(test_options());
  const BlackHole silent(any_port("127.0.0.1"));
  const std::size_t before = test::open_descriptors();
  JoinHandle<void> waiting = runtime.spawn(connect_and_stay, silent.address);
  CHECK(test::eventually([&] { return test::open_descriptors() > before; }));
  waiting.cancel();
  const auto outcome = runtime.block_on(test::outcome_of<void>, std::move(waiting));
  CHECK(outcome == test::Outcome::cancelled);
  const auto cut = runtime.block_on(
      [&] { return within(20ms, [&] { return connect_to_each({silent.address, silent.address}, 5ms); }); });
  CHECK_FALSE(cut.has_value());
  CHECK(test::eventually([&] { return test::open_descriptors() <= before; }));
}

TEST_CASE("connect() with a host name uses the addresses of the resolver") {
  const ClosedPort closed;
  const TcpListener listener = TcpListener::bind(any_port("127.0.0.1")).value();
  RuntimeOptions options = test_options();
  options.resolver = std::make_shared<Resolver>(ResolverOptions{.lookup = [](const std::string& host) {
    using Found = Result<std::vector<Address>>;
    return host == "two.test" ? Found({any_port("127.0.0.3"), any_port("127.0.0.1")}) : error(std::errc::io_error);
  }});
  Runtime runtime(options);
  const std::uint16_t port = listener.local_address().port();
  const Result<TcpStream> found = runtime.block_on([&] { return TcpStream::connect("two.test", port); });
  REQUIRE(found);
  CHECK(found->peer_address().value() == listener.local_address());
  const Result<TcpStream> lost = runtime.block_on([&] { return TcpStream::connect("three.test", port); });
  CHECK(code_of(lost) == std::errc::io_error);
}

}  // namespace volt
