// SPDX-License-Identifier: MIT

// Listeners: binding, accepting, running out of descriptors, and leaks after thousands of connections.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/base/atomic.h"
#include "runtime/net/socket_calls.h"
#include "runtime/notify.h"
#include "runtime/runtime.h"
#include "runtime/select.h"
#include "runtime/tcp.h"
#include "runtime/time.h"
#include "tests/support/directory.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::Descriptor;
using test::Outcome;
using namespace std::chrono_literals;

TcpListener listen_anywhere() { return std::move(TcpListener::bind(Address::parse("127.0.0.1:0").value()).value()); }

Task<> echo(TcpStream stream) {
  std::vector<std::byte> buffer(256);
  for (;;) {
    const Result<std::size_t> count = co_await stream.read(buffer);
    if (!count || *count == 0) co_return;
    const Result<void> written = co_await stream.write_all(std::span(buffer).first(*count));
    if (!written) co_return;
  }
}

Task<std::error_code> serve(std::shared_ptr<TcpListener> listener) {
  for (;;) {
    Result<TcpStream> stream = co_await listener->accept();
    if (!stream) co_return stream.error();
    spawn(echo, std::move(*stream)).detach();
  }
}

// An echo server. The runtime outlives it.
class Server {
 public:
  explicit Server(Runtime& runtime)
      : listener_(std::make_shared<TcpListener>(listen_anywhere())), task_(runtime.spawn(serve, listener_)) {}

  [[nodiscard]] const Address& address() const { return listener_->local_address(); }
  [[nodiscard]] TcpListener& listener() { return *listener_; }
  [[nodiscard]] JoinHandle<std::error_code>& task() { return task_; }

 private:
  std::shared_ptr<TcpListener> listener_;
  JoinHandle<std::error_code> task_;
};

bool echoes(const Descriptor& client) {
  return test::send_all(client.get(), "x") && test::receive_exactly(client.get(), 1) == "x";
}

std::int64_t processor_time_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t resident = 0;
  statm >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

// While this object exists, the process cannot open further descriptors.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit lowered = before_;
    lowered.rlim_cur = 256;
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &lowered) == 0);
    for (int fd; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken_.emplace_back(fd);
    CHECK(errno == EMFILE);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
  std::vector<Descriptor> taken_;
};

}  // namespace

TEST_SUITE_BEGIN("runtime/tcp_listener");

TEST_CASE("a shared socket keeps listening when one of its listeners is closed on another thread") {
  Runtime runtime(test_options());
  std::optional<TcpListener> listener = listen_anywhere();
  const Address address = listener->local_address();
  const auto copy = listener->duplicate();
  REQUIRE(copy.has_value());
  std::optional<TcpListener> adopted = std::move(TcpListener::adopt(*copy).value());
  const auto refuses = [&address] {
    const Descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(client.get(), address.data(), address.size_bytes()) != 0;
  };
  const auto accept_one = [](TcpListener& from) -> Task<bool> {
    const Result<TcpStream> stream = co_await from.accept();
    co_return stream.has_value();
  };
  const auto close_after_one = [&](std::optional<TcpListener>& from) {
    std::jthread client([&] {
      std::this_thread::sleep_for(20ms);  // accept() waits by then, and the socket is watched by a worker
      static_cast<void>(refuses());
    });
    CHECK(runtime.block_on(accept_one, *from));
    from.reset();  // on this thread, which is not a worker
  };
  close_after_one(listener);
  CHECK(!refuses());
  close_after_one(adopted);
  CHECK(test::eventually(refuses));
}

TEST_CASE("binding to an unavailable address is an error") {
  const TcpListener taken = listen_anywhere();
  CHECK(taken.local_address().port() != 0);
  const ListenOptions sharing{.reuse_port = true};
  struct Case {
    std::string why;
    std::string address;
    ListenOptions options;
    std::errc error;
  };
  const Case cases[] = {
      {"another socket listens on the port", taken.local_address().to_string(), {}, std::errc::address_in_use},
      {"the other socket does not share the port", taken.local_address().to_string(), sharing,
       std::errc::address_in_use},
      {"not an address of this machine (RFC 5737)", "192.0.2.1:0", {}, std::errc::address_not_available},
  };
  const std::size_t descriptors = test::open_descriptors();
  for (const auto& [why, address, options, error] : cases) {
    CAPTURE(why);
    const Result<TcpListener> listener = TcpListener::bind(Address::parse(address).value(), options);
    REQUIRE_FALSE(listener.has_value());
    CHECK(listener.error() == error);
  }
  CHECK(test::open_descriptors() == descriptors);
}

TEST_CASE("two listeners with reuse_port share a port") {
  const ListenOptions sharing{.reuse_port = true};
  const Result<TcpListener> first = TcpListener::bind(Address::parse("127.0.0.1:0").value(), sharing);
  REQUIRE(first.has_value());
  const Result<TcpListener> second = TcpListener::bind(first->local_address(), sharing);
  CHECK(second.has_value());
}

TEST_CASE("bind_shared() resets no client that connects while it runs") {
  const Address address = listen_anywhere().local_address();
  const Address source = Address::parse("127.0.0.2:0").value();  // from the same address, a client may meet itself
  for (int round = 0; round != 200; ++round) {
    base::Atomic<bool> connects{false};
    Descriptor client;
    std::jthread connecting([&](const std::stop_token& stop) {  // stopped if a check below fails
      do {
        client = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        ::bind(client.get(), source.data(), source.size_bytes());
        connects.store(true, base::seq_cst);
      } while (::connect(client.get(), address.data(), address.size_bytes()) != 0 && !stop.stop_requested());
    });
    REQUIRE(test::eventually([&] { return connects.load(base::seq_cst); }));
    auto listeners = TcpListener::bind_shared(address, 2);
    REQUIRE(listeners);
    connecting.join();
    REQUIRE(std::ranges::any_of(*listeners, [](TcpListener& listener) { return listener.try_accept().has_value(); }));
  }
}

TEST_CASE("clients that connect after ignore_new_clients() are ignored until the listener is destroyed") {
  std::optional<TcpListener> listener(listen_anywhere());
  const Address address = listener->local_address();
  const Descriptor early = test::connect_to(address);
  CHECK(listener->ignore_new_clients());
  const Descriptor late(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  CHECK(::connect(late.get(), address.data(), address.size_bytes()) != 0);
  std::this_thread::sleep_for(20ms);
  Result<TcpStream> stream = listener->try_accept();
  REQUIRE(stream);
  CHECK(listener->try_accept().error() == std::errc::operation_would_block);
  listener.reset();
  pollfd refused{.fd = late.get(), .events = POLLOUT, .revents = 0};
  CHECK(::poll(&refused, 1, 20'000) == 1);
  CHECK((refused.revents & POLLERR) != 0);
  Runtime runtime(test_options());
  runtime.spawn(echo, *std::move(stream)).detach();
  CHECK(echoes(early));
}

TEST_CASE("ignore_new_clients() does nothing to a listener that another process shares") {
  TcpListener listener = listen_anywhere();
  const Descriptor duplicate(listener.duplicate().value());
  CHECK_FALSE(listener.ignore_new_clients());
  const Descriptor client = test::connect_to(listener.local_address());
  CHECK(listener.try_accept().has_value());
}

TEST_CASE("ignore_new_clients() refuses the clients of a unix socket") {
  const test::Directory directory;
  TcpListener listener = TcpListener::bind(Address::parse(directory.unix_address("socket")).value()).value();
  const Address address = listener.local_address();
  const Descriptor early(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(early.get(), address.data(), address.size_bytes()) == 0);
  CHECK_FALSE(listener.ignore_new_clients());
  const Descriptor late(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  CHECK(::connect(late.get(), address.data(), address.size_bytes()) != 0);
  CHECK(errno == ECONNREFUSED);
  CHECK(listener.try_accept().has_value());
  CHECK_FALSE(listener.try_accept().has_value());
}

TEST_CASE("try_accept() does not wait, and a destroyed listener frees its port") {
  Address address;
  {
    TcpListener listener = listen_anywhere();
    address = listener.local_address();
    const Result<TcpStream> none = listener.try_accept();
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error() == std::errc::operation_would_block);
    const Descriptor client = test::connect_to(address);
    const Result<TcpStream> stream = listener.try_accept();
    REQUIRE(stream.has_value());
    const Address client_address = net::local_address_of(client.get()).value();
    CHECK(stream->peer_address().value().to_string() == client_address.to_string());
    TcpListener moved = std::move(listener);
    CHECK(moved.local_address().to_string() == address.to_string());
  }
  CHECK(TcpListener::bind(address).has_value());
}

TEST_CASE("the address of an accepted connection's peer stays known after the peer has reset it") {
  for (const std::string_view any : {"127.0.0.1:0", "[::1]:0"}) {
    CAPTURE(any);
    TcpListener listener = TcpListener::bind(Address::parse(any).value()).value();
    Descriptor client = test::connect_to(listener.local_address());
    const Result<TcpStream> stream = listener.try_accept();
    REQUIRE(stream.has_value());
    const Address client_address = net::local_address_of(client.get()).value();
    CHECK(stream->peer_address().value() == client_address);
    test::reset_on_close(client.get());
    client.close();
    REQUIRE(test::eventually([&] { return stream->peer_closed(); }));
    CHECK(stream->peer_address().value() == client_address);
  }
}

TEST_CASE("accept() waits, and a cancel or an interrupt ends the wait") {
  Runtime runtime(test_options());
  Server server(runtime);
  server.listener().interrupt_accept();  // accept() may not wait yet; then this has no effect
  CHECK(test::eventually([&] {
    server.listener().interrupt_accept();
    return server.task().done();
  }));
  CHECK(server.task().task().take() == std::errc::interrupted);
  for (std::uint64_t round = 0; round != test::stress_rounds(200); ++round) {
    Server cancelled(runtime);
    if (round % 2 == 0) {
      const Descriptor client = test::connect_to(cancelled.address());
      CHECK(echoes(client));
    }
    cancelled.task().cancel();
    REQUIRE(runtime.block_on(test::outcome_of<std::error_code>, std::move(cancelled.task())) == Outcome::cancelled);
  }
}

// A pause like those of accept() without descriptors. UBSan needs a descriptor to inspect a type for the first time, so
// this is called while there are some.
Task<> pause_once() {
  Notify never;
  co_await select(never.notified(), sleep_for(1ms));
}

TEST_CASE("a server out of descriptors rejects clients, pauses, and serves again later") {
  RuntimeOptions options = test_options();
  options.enable_rescue = false;  // the watchdog opens files now and then: it would free a descriptor here
  Runtime runtime(options);
  Server server(runtime);
  runtime.block_on(pause_once);
  std::vector<Descriptor> clients;
  const Descriptor early = test::connect_to(server.address());
  CHECK(echoes(early));
  for (int i = 0; i != 3; ++i) clients.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  {
    const NoDescriptors none;
    for (const Descriptor& client : clients) {
      REQUIRE(::connect(client.get(), server.address().data(), server.address().size_bytes()) == 0);
    }
    for (const Descriptor& client : clients) {
      const timeval patience{.tv_sec = 20, .tv_usec = 0};
      ::setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
      CHECK(test::receive_some(client.get()) == 0);  // the server has closed the connection
    }
    const std::int64_t before_ns = processor_time_ns();
    std::this_thread::sleep_for(1s);
    CHECK(processor_time_ns() - before_ns < std::chrono::nanoseconds(200ms).count());
    CHECK(echoes(early));  // existing connections are still served
    CHECK_FALSE(server.task().done());
  }
  for (int i = 0; i != 3; ++i) {
    const Descriptor late = test::connect_to(server.address());
    CHECK(echoes(late));
  }
  server.task().cancel();
  CHECK(runtime.block_on(test::outcome_of<std::error_code>, std::move(server.task())) == Outcome::cancelled);
}

TEST_CASE("an interrupt ends accept() while no descriptor is left") {
  RuntimeOptions options = test_options();
  options.enable_rescue = false;  // as above
  Runtime runtime(options);
  Server server(runtime);
  runtime.block_on(pause_once);
  const Descriptor early = test::connect_to(server.address());
  CHECK(echoes(early));
  const Descriptor client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const NoDescriptors none;
  REQUIRE(::connect(client.get(), server.address().data(), server.address().size_bytes()) == 0);
  const timeval patience{.tv_sec = 20, .tv_usec = 0};
  ::setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  CHECK(test::receive_some(client.get()) == 0);  // from here on accept() pauses, and tries again after each pause
  CHECK(test::eventually([&] {
    server.listener().interrupt_accept();
    return server.task().done();
  }));
  CHECK(server.task().task().take() == std::errc::interrupted);
}

TEST_CASE("thousands of connections leak neither descriptors nor memory") {
  Runtime runtime(test_options());
  Server server(runtime);
  const auto connect_rounds = [&](int rounds) {
    for (int i = 0; i != rounds; ++i) {
      const Descriptor client = test::connect_to(server.address());
      if (i % 3 != 0) REQUIRE(echoes(client));  // some clients never send anything
      // Most connections end by a reset, so that the ports do not run out: an orderly close stays in TIME_WAIT.
      if (i % 4 != 0) test::reset_on_close(client.get());
    }
    CHECK(test::eventually([&] { return runtime.metrics().total().descriptors <= 1; }));  // the listener's descriptor
    CHECK(test::eventually([&] { return runtime.metrics().live_tasks == 1; }));
  };
  connect_rounds(test::kSanitized ? 100 : 1'000);
  const std::size_t descriptors = test::open_descriptors();
  const std::int64_t memory_bytes = resident_bytes();
  connect_rounds(test::kSanitized ? 1'000 : 10'000);
  CHECK(test::eventually([&] { return test::open_descriptors() <= descriptors; }));
  if (!test::kSanitized) CHECK(resident_bytes() < memory_bytes + memory_bytes / 20 + 256 * 1024);
}

TEST_SUITE_END();

}  // namespace volt
