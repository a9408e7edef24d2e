// SPDX-License-Identifier: MIT

#include "runtime/inherited.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "runtime/internal/inherited_names.h"
#include "runtime/runtime.h"
#include "tests/support/directory.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"

namespace volt {
namespace {

using test::Descriptor;

Descriptor raw_listener(const std::string& address) {
  const Address local = Address::parse(address).value();
  Descriptor fd(::socket(local.family(), SOCK_STREAM, 0));
  REQUIRE(::bind(fd.get(), local.data(), local.size_bytes()) == 0);
  REQUIRE(::listen(fd.get(), 5) == 0);
  return fd;
}

// Returns the exit status of a child process that runs `body`.
template <class Body>
int status_of_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void set_environment(const std::string& process, const std::string& count, const std::string& names) {
  ::setenv("LISTEN_PID", process.c_str(), 1);
  ::setenv("LISTEN_FDS", count.c_str(), 1);
  ::setenv("LISTEN_FDNAMES", names.c_str(), 1);
}

Task<std::string> first_bytes(TcpListener& listener) {
  Result<TcpStream> stream = co_await listener.accept();
  std::array<std::byte, 5> bytes{};
  const Result<std::size_t> count = co_await stream->read(bytes);
  co_return std::string(reinterpret_cast<const char*>(bytes.data()), count.value_or(0));
}

}  // namespace

TEST_SUITE_BEGIN("runtime/inherited");

TEST_CASE("the environment variables describe the inherited descriptors") {
  using Names = std::vector<std::string>;
  const std::optional<std::string> unset;
  struct Case {
    std::string why;
    std::optional<std::string> process, count, names;
    std::optional<Names> want;  // nullopt: invalid_argument is expected
  };
  const Case cases[] = {
      {"nothing is set", unset, unset, unset, Names{}},
      {"one socket with its name", "42", "1", "http", Names{"http"}},
      {"several", "42", "3", "http:https:ops", Names{"http", "https", "ops"}},
      {"a name may be empty", "42", "2", ":b", Names{"", "b"}},
      {"no names", "42", "2", unset, Names{"unknown", "unknown"}},
      {"none", "42", "0", "", Names{}},
      {"meant for a parent", "41", "1", "http", Names{}},
      {"no count", "42", unset, "http", Names{}},
      {"no process", unset, "1", "http", Names{}},
      {"fewer names than descriptors", "42", "2", "http", std::nullopt},
      {"more names than descriptors", "42", "1", "a:b", std::nullopt},
      {"a process id that is not a number", "me", "1", "http", std::nullopt},
      {"a count that is not a number", "42", "1x", "http", std::nullopt},
      {"an empty count", "42", "", "http", std::nullopt},
      {"a negative count", "42", "-1", "http", std::nullopt},
      {"a count above the limit", "42", "1025", unset, std::nullopt},
      {"a count that overflows every integer", "42", "99999999999999999999", unset, std::nullopt},
  };
  const auto text = [](const std::optional<std::string>& value) { return value ? value->c_str() : nullptr; };
  for (const auto& [why, process, count, names, want] : cases) {
    CAPTURE(why);
    const auto read = net::inherited_names(text(process), text(count), text(names), 42);
    REQUIRE(read.has_value() == want.has_value());
    if (want) CHECK(*read == *want);
    if (!want) CHECK(read.error() == std::errc::invalid_argument);
  }
}

TEST_CASE("a listening socket that was created elsewhere is adopted and accepts connections") {
  const test::Directory directory;
  for (const std::string& address :
       {std::string("127.0.0.1:0"), std::string("[::1]:0"), directory.unix_address("app.sock")}) {
    CAPTURE(address);
    Runtime runtime(test_options());
    auto listener = TcpListener::adopt(raw_listener(address).release());
    REQUIRE(listener.has_value());
    const Descriptor client = test::connect_to(listener->local_address());
    REQUIRE(test::send_all(client.get(), "hello"));
    CHECK(runtime.block_on(first_bytes, *listener) == "hello");
  }
  CHECK(std::filesystem::exists(directory.path() / "app.sock"));  // the creator of the file removes it
}

TEST_CASE("an adopted descriptor is non-blocking and close-on-exec, and its connections use TCP_NODELAY") {
  const int fd = raw_listener("127.0.0.1:0").release();
  auto listener = TcpListener::adopt(fd);
  REQUIRE(listener.has_value());
  CHECK((::fcntl(fd, F_GETFL) & O_NONBLOCK) != 0);
  CHECK((::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
  const Descriptor client = test::connect_to(listener->local_address());
  const Descriptor accepted(::accept(fd, nullptr, nullptr));
  int no_delay = 0;
  socklen_t bytes = sizeof no_delay;
  REQUIRE(::getsockopt(accepted.get(), IPPROTO_TCP, TCP_NODELAY, &no_delay, &bytes) == 0);
  CHECK(no_delay != 0);
}

TEST_CASE("a descriptor that does not listen is not adopted, and stays open") {
  const test::Pair connected = test::tcp_pair();
  const Descriptor datagrams(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const Descriptor file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor packets(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const Address name = Address::parse("unix:@volt_inherited_test." + std::to_string(::getpid())).value();
  REQUIRE(::bind(packets.get(), name.data(), name.size_bytes()) == 0);
  REQUIRE(::listen(packets.get(), 1) == 0);
  struct Case {
    std::string why;
    int fd;
    std::errc error;
  };
  const Case cases[] = {
      {"a connection", connected.near.get(), std::errc::invalid_argument},
      {"datagrams", datagrams.get(), std::errc::invalid_argument},
      {"a listening socket for packets", packets.get(), std::errc::invalid_argument},
      {"a file", file.get(), std::errc::not_a_socket},
      {"nothing", -1, std::errc::bad_file_descriptor},
  };
  for (const auto& [why, fd, want] : cases) {
    CAPTURE(why);
    const auto listener = TcpListener::adopt(fd);
    REQUIRE_FALSE(listener.has_value());
    CHECK(listener.error() == want);
    if (fd >= 0) CHECK(::fcntl(fd, F_GETFD) >= 0);
  }
}

TEST_CASE("a process takes ownership of its inherited sockets, once") {
  const Descriptor first = raw_listener("127.0.0.1:0");
  const Descriptor second = raw_listener("[::1]:0");
  const int status = status_of_child([&] {
    // Duplicated to high numbers first: the sockets may be descriptors 3 and 4 themselves.
    const int high_first = ::fcntl(first.get(), F_DUPFD, 100);
    const int high_second = ::fcntl(second.get(), F_DUPFD, 100);
    ::dup2(high_first, 3);
    ::dup2(high_second, 4);
    set_environment(std::to_string(::getpid()), "2", "web:web6");
    const auto inherited = inherited_listeners();
    if (!inherited || inherited->size() != 2) return 1;
    if ((*inherited)[0].name != "web" || (*inherited)[0].listener.local_address().family() != AF_INET) return 2;
    if ((*inherited)[1].name != "web6" || (*inherited)[1].listener.local_address().family() != AF_INET6) return 3;
    if (std::getenv("LISTEN_FDS") != nullptr) return 4;
    const auto again = inherited_listeners();
    return again && again->empty() ? 0 : 5;
  });
  CHECK(status == 0);
}

TEST_CASE("an inherited descriptor that does not listen is an error") {
  const int status = status_of_child([&] {
    ::dup2(STDERR_FILENO, 3);
    set_environment(std::to_string(::getpid()), "1", "web");
    return inherited_listeners().has_value() ? 1 : 0;
  });
  CHECK(status == 0);
}

TEST_SUITE_END();

}  // namespace volt
