// SPDX-License-Identifier: MIT

#include "runtime/unix.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ostream>
#include <string>
#include <vector>

#include "runtime/runtime.h"
#include "tests/support/directory.h"
#include "tests/support/engine.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

Address at(const std::string& text) { return Address::parse(text).value(); }

template <class T>
std::errc code_of(const Result<T>& result) {
  return result ? std::errc{} : static_cast<std::errc>(result.error().default_error_condition().value());
}

Task<> greet(UnixListener listener) {
  Result<UnixStream> stream = co_await listener.accept();
  if (!stream) co_return;
  const std::string greeting = "hello";
  [[maybe_unused]] const Result<void> written = co_await stream->write_all(std::as_bytes(std::span(greeting)));
}

template <class Stream>
Task<std::string> read_some(Stream& stream) {
  std::vector<std::byte> buffer(16);
  const Result<std::size_t> count = co_await stream.read(buffer);
  co_return std::string(reinterpret_cast<const char*>(buffer.data()), count.value_or(0));
}

}  // namespace

TEST_SUITE_BEGIN("runtime/unix");

TEST_CASE("a unix listener is reached by its file or its name, and the kernel reports the peer's credentials") {
  Runtime runtime(test_options());
  const test::Directory directory;
  const std::string name = "unix:@volt-unix-" + std::to_string(::getpid());
  for (const Address& address : {at(directory.unix_address("s")), at(name)}) {
    UnixListener listener = UnixListener::bind(address).value();
    CHECK(listener.local_address() == address);
    JoinHandle<void> server = runtime.spawn(greet, std::move(listener));
    runtime.block_on([&]() -> Task<> {
      Result<UnixStream> stream = co_await UnixStream::connect(address);
      REQUIRE(stream);
      const std::string greeting = co_await read_some(*stream);
      CHECK(greeting == "hello");
      const Result<PeerCredentials> peer = stream->peer_credentials();
      REQUIRE(peer);
      CHECK(peer->process == ::getpid());
      CHECK(peer->user == ::geteuid());
      CHECK(peer->group == ::getegid());
    });
    CHECK(test::eventually([&] { return server.done(); }));
  }
}

TEST_CASE("an address of another family, a missing file and a full backlog are errors") {
  Runtime runtime(test_options());
  const test::Directory directory;
  CHECK(code_of(UnixListener::bind(at("127.0.0.1:0"))) == std::errc::invalid_argument);
  const auto connect = [&](const Address& address) {
    return code_of(runtime.block_on([&] { return UnixStream::connect(address); }));
  };
  CHECK(connect(at("127.0.0.1:1")) == std::errc::invalid_argument);
  CHECK(connect(at(directory.unix_address("gone"))) == std::errc::no_such_file_or_directory);

  const Address address = at(directory.unix_address("full"));
  const UnixListener listener = UnixListener::bind(address, {.backlog = 1}).value();
  std::vector<UnixStream> connected;
  std::errc failure{};
  while (failure == std::errc{} && connected.size() < 16) {
    Result<UnixStream> stream = runtime.block_on([&] { return UnixStream::connect(address); });
    failure = code_of(stream);
    if (stream) connected.push_back(std::move(*stream));
  }
  CHECK(failure == std::errc::resource_unavailable_try_again);
}

TEST_CASE("each end of a pair reads what the other wrote, up to the end") {
  Runtime runtime(test_options());
  runtime.block_on([]() -> Task<> {
    auto ends = UnixStream::pair().value();
    const std::string text = "hello";
    CHECK(ends.first.try_write(std::as_bytes(std::span(text))).value() == text.size());
    ends.first.shutdown_write();
    const std::string first = co_await read_some(ends.second);
    const std::string rest = co_await read_some(ends.second);
    CHECK(first == text);
    CHECK(rest.empty());
  });
}

TEST_CASE("a datagram socket's file is removed with the socket") {
  const test::Directory directory;
  const std::string path = directory.path() / "d";
  struct stat file{};
  {
    const UnixDatagram socket = UnixDatagram::bind(at("unix:" + path)).value();
    CHECK(::lstat(path.c_str(), &file) == 0);
  }
  CHECK(::lstat(path.c_str(), &file) != 0);
}

}  // namespace volt
