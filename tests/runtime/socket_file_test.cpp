// SPDX-License-Identifier: MIT

#include "runtime/socket_file.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/runtime.h"
#include "runtime/tcp.h"
#include "tests/support/directory.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"

namespace volt {
namespace {

using test::Descriptor;
using test::Directory;

Result<TcpListener> listen_at(const std::string& address, ListenOptions options = {}) {
  return TcpListener::bind(Address::parse(address).value(), options);
}

// Creates the socket file that a killed server leaves.
void leave_stale_socket(const Address& address) {
  const Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(fd.get(), address.data(), address.size_bytes()) == 0);
}

Task<std::string> echo_one(TcpListener& listener) {
  Result<TcpStream> stream = co_await listener.accept();
  if (!stream) co_return "accept: " + stream.error().message();
  std::byte byte{};
  const Result<std::size_t> count = co_await stream->read({&byte, 1});
  if (!count) co_return "read: " + count.error().message();
  const Result<void> written = co_await stream->write_all({&byte, 1});
  if (!written) co_return "write: " + written.error().message();
  co_return stream->peer_address().value().to_string();
}

}  // namespace

TEST_SUITE_BEGIN("runtime/socket_file");

TEST_CASE("a unix socket accepts connections by its path or its abstract name") {
  const Directory directory;
  for (const std::string& text :
       {directory.unix_address("app.sock"), "unix:@volt_socket_file_test." + std::to_string(::getpid())}) {
    CAPTURE(text);
    Runtime runtime(test_options());
    auto listener = listen_at(text, {.reuse_port = true});
    REQUIRE(listener.has_value());
    CHECK(listener->local_address().to_string() == text);
    const Descriptor client = test::connect_to(listener->local_address());
    REQUIRE(test::send_all(client.get(), "x"));
    CHECK(runtime.block_on(echo_one, *listener) == "unix:");
    CHECK(test::receive_exactly(client.get(), 1) == "x");
  }
}

TEST_CASE("the file has the configured mode, whatever the umask, and is removed with its listener") {
  const Directory directory;
  const std::string address = directory.unix_address("app.sock");
  const mode_t before = ::umask(0077);
  for (const std::uint32_t mode : {0660U, 0600U, 0666U}) {
    const auto listener = listen_at(address, {.file_mode = mode});
    REQUIRE(listener.has_value());
    struct stat file{};
    REQUIRE(::stat((directory.path() / "app.sock").c_str(), &file) == 0);
    CHECK((file.st_mode & 0777) == mode);
  }
  ::umask(before);
  CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("bind replaces a file only if it is a socket without a listener") {
  const Directory directory;
  const std::string text = directory.unix_address("app.sock");
  const Address address = Address::parse(text).value();
  const auto file = directory.path() / "app.sock";
  const std::size_t descriptors = test::open_descriptors();

  SUBCASE("a stale socket") {
    leave_stale_socket(address);
    CHECK(listen_at(text).has_value());
    CHECK(!std::filesystem::exists(file));
  }
  SUBCASE("a socket with a listener") {
    const auto alive = listen_at(text);
    REQUIRE(alive.has_value());
    CHECK(listen_at(text).error() == std::errc::address_in_use);
    const Descriptor client = test::connect_to(address);
  }
  SUBCASE("a socket with a listener whose backlog is full") {
    const auto busy = listen_at(text, {.backlog = 0});
    REQUIRE(busy.has_value());
    const Descriptor client = test::connect_to(address);
    CHECK(listen_at(text).error() == std::errc::address_in_use);
    CHECK(std::filesystem::exists(file));
  }
  SUBCASE("a regular file") {
    std::ofstream(file) << "precious";
    CHECK(listen_at(text).error() == std::errc::address_in_use);
    CHECK(std::filesystem::file_size(file) == 8);
  }
  SUBCASE("a symbolic link to a stale socket") {
    leave_stale_socket(Address::parse(directory.unix_address("other.sock")).value());
    std::filesystem::create_symlink(directory.path() / "other.sock", file);
    CHECK(listen_at(text).error() == std::errc::address_in_use);
    CHECK(std::filesystem::exists(directory.path() / "other.sock"));
  }
  SUBCASE("a folder that does not exist") {
    CHECK(listen_at(directory.unix_address("gone/app.sock")).error() == std::errc::no_such_file_or_directory);
  }
  CHECK(test::open_descriptors() == descriptors);
}

TEST_CASE("a listener does not remove a file that another listener has bound since") {
  const Directory directory;
  const std::string text = directory.unix_address("app.sock");
  const auto file = directory.path() / "app.sock";
  {
    auto first = listen_at(text);
    REQUIRE(first.has_value());
    std::filesystem::remove(file);
    auto second = listen_at(text);
    REQUIRE(second.has_value());
    *first = std::move(*second);  // a swap: each listener keeps its own file
    const TcpListener ends_here = std::move(*second);
    CHECK(std::filesystem::exists(file));
  }
  CHECK(!std::filesystem::exists(file));
}

TEST_SUITE_END();

}  // namespace volt
