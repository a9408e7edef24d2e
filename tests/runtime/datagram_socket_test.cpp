// SPDX-License-Identifier: MIT

// UDP and unix datagram sockets: their common behavior, and their differences.
#include "runtime/datagram_socket.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/runtime.h"
#include "runtime/time.h"
#include "runtime/udp.h"
#include "runtime/unix.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using namespace std::chrono_literals;

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

Address at(const std::string& text) { return Address::parse(text).value(); }

template <class T>
std::errc code_of(const Result<T>& result) {
  return result ? std::errc{} : static_cast<std::errc>(result.error().default_error_condition().value());
}

UdpSocket udp(const char* host = "127.0.0.1") { return UdpSocket::bind(at(std::string(host) + ":0")).value(); }

constexpr int kManyDatagrams = 5'000;  // many times the length of a unix datagram queue (net.unix.max_dgram_qlen)

// Returns a name that is unique to this process, so that tests may run concurrently.
Address abstract_name(const std::string& name) {
  return at("unix:@volt-datagram-" + std::to_string(::getpid()) + "-" + name);
}

struct Received {
  std::string text;
  bool truncated = false;
  std::string from;
};

// Receives a datagram in a task; works with any kind of datagram socket.
template <class Socket>
Task<Result<Received>> receive(Socket& socket, std::size_t bytes_max = 65'536) {
  std::vector<std::byte> buffer(bytes_max);
  socket.set_read_deadline_in(20s);
  const Result<Datagram> datagram = co_await socket.receive(buffer);
  if (!datagram) co_return std::unexpected(datagram.error());
  const std::string text(reinterpret_cast<const char*>(buffer.data()), datagram->size_bytes);
  co_return Received{text, datagram->truncated, datagram->from.to_string()};
}

Task<std::size_t> count_until(UdpSocket socket, std::string last) {
  for (std::size_t count = 0;; ++count) {
    const Result<Received> received = co_await receive(socket);
    if (!received || received->text == last) co_return count;
  }
}

}  // namespace

TEST_SUITE_BEGIN("runtime/datagram_socket");

TEST_CASE("a datagram arrives whole, with its sender, or is marked as truncated") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    for (const char* host : {"127.0.0.1", "[::1]"}) {
      Result<UdpSocket> near = UdpSocket::bind(at(std::string(host) + ":0"));
      if (!near) continue;  // the machine lacks this address family
      UdpSocket far = udp(host);
      const Address near_address = near->local_address().value();
      for (const std::size_t bytes : {0, 1, 1400, 60'000}) {
        const std::string sent(bytes, 'x');
        const Result<void> done = co_await far.send_to(bytes_of(sent), near_address);
        CHECK(done);
        const Result<Received> received = co_await receive(*near);
        REQUIRE(received);
        CHECK(received->text == sent);
        CHECK_FALSE(received->truncated);
        CHECK(received->from == far.local_address().value().to_string());
      }
      CHECK(far.try_send_to(bytes_of("0123456789"), near_address));
      CHECK(far.try_send_to(bytes_of("next"), near_address));
      const Result<Received> cut = co_await receive(*near, 4);
      REQUIRE(cut);
      CHECK(cut->text == "0123");
      CHECK(cut->truncated);
      const Result<Received> next = co_await receive(*near, 4);
      REQUIRE(next);
      CHECK(next->text == "next");
      CHECK_FALSE(next->truncated);
    }
  });
}

TEST_CASE("a datagram that no socket received is reported once, and the socket stays usable") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    UdpSocket near = udp();
    UdpSocket far = udp();
    const Address far_address = far.local_address().value();
    CHECK(near.connect(far_address));
    {
      const UdpSocket gone = std::move(far);
    }
    CHECK(near.try_send(bytes_of("anybody?")));
    const Result<Received> refusal = co_await receive(near);
    CHECK(code_of(refusal) == std::errc::connection_refused);

    UdpSocket back = UdpSocket::bind(far_address).value();
    CHECK(back.try_send_to(bytes_of("me"), near.local_address().value()));
    const Result<Received> received = co_await receive(near);
    REQUIRE(received);
    CHECK(received->text == "me");
    // The socket waits as before, instead of reporting that it has ended.
    near.set_read_deadline_in(20ms);
    std::vector<std::byte> buffer(16);
    const Result<Datagram> nothing = co_await near.receive(buffer);
    CHECK(code_of(nothing) == std::errc::timed_out);
    CHECK(code_of(near.try_receive(buffer)) == std::errc::operation_would_block);
  });
}

TEST_CASE("a connected socket receives only from its peer") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    UdpSocket near = udp();
    UdpSocket peer = udp();
    UdpSocket stranger = udp();
    const Address near_address = near.local_address().value();
    CHECK(near.connect(peer.local_address().value()));
    CHECK(stranger.try_send_to(bytes_of("psst"), near_address));
    CHECK(peer.try_send_to(bytes_of("hello"), near_address));
    const Result<Received> received = co_await receive(near);
    REQUIRE(received);
    CHECK(received->text == "hello");
    const Result<void> sent = co_await near.send(bytes_of("and you"));
    CHECK(sent);
    const Result<Received> answer = co_await receive(peer);
    REQUIRE(answer);
    CHECK(answer->text == "and you");
    const std::string too_long(70'000, 'x');
    CHECK(code_of(near.try_send(bytes_of(too_long))) == std::errc::message_size);
  });
}

TEST_CASE("a receiver is woken for every datagram of a stream") {
  Runtime runtime(test_options());
  constexpr std::size_t kCount = 2'000;
  UdpSocket receiver = udp();
  const Address to = receiver.local_address().value();
  JoinHandle<std::size_t> counting = runtime.spawn(count_until, std::move(receiver), std::string("last"));
  UdpSocket sender = udp();
  for (std::size_t i = 0; i != kCount; ++i) {
    CHECK(sender.try_send_to(bytes_of("one"), to));
    if (i % 16 == 0) std::this_thread::sleep_for(100us);  // the receiver's buffer is limited
  }
  // UDP may lose datagrams on a busy machine; the last datagram is repeated until it has arrived.
  CHECK(test::eventually([&] {
    CHECK(sender.try_send_to(bytes_of("last"), to));
    return counting.done();
  }));
  const std::size_t count = counting.task().take();
  CHECK(count > 0);
  CHECK(count <= kCount);
}

TEST_CASE("datagrams of a multicast group arrive while the group is joined") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    UdpSocket near = UdpSocket::bind(at("0.0.0.0:0")).value();
    const Address group = at("239.255.77.77:0");
    constexpr std::uint32_t kLoopback = 1;  // the index of lo in every network namespace
    CHECK(near.join_group(group, kLoopback));
    CHECK(code_of(near.join_group(group, kLoopback)) == std::errc::address_in_use);
    CHECK(code_of(near.join_group(at("127.0.0.1:0"), kLoopback)) == std::errc::invalid_argument);
    CHECK(near.leave_group(group, kLoopback));
    CHECK(code_of(near.leave_group(group, kLoopback)) == std::errc::address_not_available);
    co_return;
  });
}

TEST_CASE("two sockets share a port only if both set share_port") {
  const UdpSocket first = UdpSocket::bind(at("127.0.0.1:0"), {.share_port = true}).value();
  const Address address = first.local_address().value();
  CHECK(code_of(UdpSocket::bind(address)) == std::errc::address_in_use);
  CHECK(UdpSocket::bind(address, {.share_port = true}));
}

TEST_CASE("unix datagrams work between named sockets, pairs and sockets without a name") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    const Address name = abstract_name("near");
    UnixDatagram near = UnixDatagram::bind(name).value();
    UnixDatagram nameless = UnixDatagram::nameless().value();
    const Result<void> sent = co_await nameless.send_to(bytes_of("hello"), name);
    CHECK(sent);
    const Result<Received> received = co_await receive(near);
    REQUIRE(received);
    CHECK(received->text == "hello");
    CHECK(received->from == "unix:");

    auto ends = UnixDatagram::pair().value();
    CHECK(ends.first.try_send(bytes_of("ping")));
    const Result<Received> ping = co_await receive(ends.second, 2);
    REQUIRE(ping);
    CHECK(ping->text == "pi");
    CHECK(ping->truncated);
    CHECK(code_of(UnixDatagram::bind(at("127.0.0.1:0"))) == std::errc::invalid_argument);
    CHECK(code_of(UnixDatagram::bind(name)) == std::errc::address_in_use);
  });
}

TEST_CASE("a full peer queue makes a connected sender wait, and is an error for an unconnected one") {
  Runtime runtime(test_options());
  auto ends = UnixDatagram::pair().value();
  const auto send_all = [](UnixDatagram socket) -> Task<int> {
    for (int i = 0; i != kManyDatagrams; ++i) {
      if (!co_await socket.send(bytes_of("x"))) co_return i;
    }
    co_return kManyDatagrams;
  };
  JoinHandle<int> sending = runtime.spawn(send_all, std::move(ends.first));
  runtime.block_on([&]() -> Task<> {
    for (int i = 0; i != kManyDatagrams; ++i) {
      const Result<Received> received = co_await receive(ends.second);
      REQUIRE(received);
    }
  });
  CHECK(test::eventually([&] { return sending.done(); }));
  CHECK(sending.task().take() == kManyDatagrams);

  const UnixDatagram full = UnixDatagram::bind(abstract_name("full")).value();
  const std::errc told = runtime.block_on([]() -> Task<std::errc> {
    UnixDatagram nameless = UnixDatagram::nameless().value();
    for (int i = 0; i != kManyDatagrams; ++i) {
      const Result<void> sent = co_await nameless.send_to(bytes_of("x"), abstract_name("full"));
      if (!sent) co_return code_of(sent);
    }
    co_return std::errc{};
  });
  CHECK(told == std::errc::operation_would_block);
}

TEST_CASE("a wait for a datagram can be cancelled") {
  Runtime runtime(test_options());
  const auto wait = [](UdpSocket socket) -> Task<> {
    std::vector<std::byte> buffer(16);
    [[maybe_unused]] const Result<Datagram> received = co_await socket.receive(buffer);
  };
  JoinHandle<void> waiting = runtime.spawn(wait, udp());
  waiting.cancel();
  CHECK(runtime.block_on(test::outcome_of<void>, std::move(waiting)) == test::Outcome::cancelled);
}

}  // namespace volt
