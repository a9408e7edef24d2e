// SPDX-License-Identifier: MIT

// Sockets when allocations fail: no descriptor stays open.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <new>
#include <string>

#include "runtime/runtime.h"
#include "runtime/tcp.h"
#include "runtime/udp.h"
#include "runtime/unix.h"
#include "tests/allocations/failing.h"
#include "tests/support/engine.h"

namespace volt {
namespace {

using test::Counted;
using test::FailingAllocation;

constexpr std::uint64_t kAllocationsMax = 50;  // more than any of the calls makes

std::ptrdiff_t open_descriptors() { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); }

// Connects while the allocation with that number fails. Returns whether there was such an allocation.
Task<bool> connect_failing(Address to, std::uint64_t number) {
  bool connected = false;
  bool met = false;
  {
    const FailingAllocation failing(Counted::this_thread, number);
    try {
      const Result<TcpStream> stream = co_await TcpStream::connect(to);
      connected = stream.has_value();
    } catch (const std::bad_alloc&) {  // decided: `connected` says it
    }
    met = failing.met();
  }
  CHECK((connected || met));
  co_return met;
}

}  // namespace

TEST_SUITE_BEGIN("allocations/sockets");

TEST_CASE("whichever allocation of a new socket fails, its descriptors are closed") {
  const struct {
    std::string why;
    bool (*open)();
  } cases[] = {
      {"TcpListener", [] { return TcpListener::bind(Address::parse("127.0.0.1:0").value()).has_value(); }},
      {"UdpSocket", [] { return UdpSocket::bind(Address::parse("127.0.0.1:0").value()).has_value(); }},
      {"UnixDatagram", [] { return UnixDatagram::nameless().has_value(); }},
      {"a pair of UnixDatagram", [] { return UnixDatagram::pair().has_value(); }},
      {"a pair of UnixStream", [] { return UnixStream::pair().has_value(); }},
  };
  for (const auto& [why, open] : cases) {
    CAPTURE(why);
    const std::ptrdiff_t before = open_descriptors();
    bool any_left = true;
    for (std::uint64_t number = 1; any_left; ++number) {
      REQUIRE(number < kAllocationsMax);
      CAPTURE(number);
      bool opened = false;
      {
        const FailingAllocation failing(Counted::this_thread, number);
        try {
          opened = open();
        } catch (const std::bad_alloc&) {  // decided: `opened` says it
        }
        any_left = failing.met();
      }
      CHECK((opened || any_left));
      CHECK(open_descriptors() == before);
    }
  }
}

// The connect to a unix socket ends at once, so no reactor knows the descriptor.
TEST_CASE("whichever allocation of a connect fails, its descriptor is closed") {
  const std::string name = "unix:@volt-allocations-" + std::to_string(::getpid());
  const auto listener = UnixListener::bind(Address::parse(name).value());
  REQUIRE(listener.has_value());
  Runtime runtime(test_options(1));
  CHECK_FALSE(runtime.block_on(connect_failing, listener->local_address(), kAllocationsMax));  // fills the pools
  const std::ptrdiff_t before = open_descriptors();
  bool any_left = true;
  for (std::uint64_t number = 1; any_left; ++number) {
    REQUIRE(number < kAllocationsMax);
    CAPTURE(number);
    any_left = runtime.block_on(connect_failing, listener->local_address(), number);
    CHECK(open_descriptors() == before);
  }
}

TEST_SUITE_END();

}  // namespace volt
