// SPDX-License-Identifier: MIT

// Streams that outlive their runtime (runtime/net/socket.h).
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/runtime.h"
#include "runtime/tcp.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::eventually;
using namespace std::chrono_literals;

}  // namespace

TEST_SUITE_BEGIN("runtime/net/later_runtime");

TEST_CASE("streams may outlive their runtime, and can then be destroyed or used with another one") {
  auto pairs = std::vector<test::Pair>();
  for (int i = 0; i != 3; ++i) pairs.push_back(test::unix_pair());
  std::vector<std::shared_ptr<TcpStream>> streams;
  for (auto& pair : pairs) streams.push_back(std::make_shared<TcpStream>(pair.near.release()));
  const auto read_byte = [](std::shared_ptr<TcpStream> stream, std::chrono::milliseconds limit) -> Task<bool> {
    std::byte byte{};
    stream->set_read_deadline_in(limit);
    const Result<std::size_t> count = co_await stream->read({&byte, 1});
    co_return count && *count == 1;
  };
  for (const std::uint32_t workers : {2u, 1u, 3u}) {
    Runtime runtime(test_options(workers));
    for (std::size_t i = 0; i != streams.size(); ++i) {
      JoinHandle<bool> reads = runtime.spawn(read_byte, streams[i], 1h);
      std::this_thread::sleep_for(1ms);
      REQUIRE(test::send_all(pairs[i].far.get(), "x"));
      CHECK(eventually([&] { return reads.done(); }));
      CHECK_FALSE(runtime.block_on(read_byte, streams[i], 1ms));  // the deadline is one of this runtime
    }
  }
  streams[0].reset();
  CHECK(test::receive_some(pairs[0].far.get()) == 0);  // closed
  Runtime runtime(test_options(2));
  REQUIRE(test::send_all(pairs[1].far.get(), "x"));
  CHECK(runtime.block_on(read_byte, streams[1], 1h));
}

TEST_CASE("a stream that was read with one runtime can be written with the next, and its deadline is kept") {
  constexpr std::size_t kBytes = 4 << 20;  // more than the kernel buffers
  const auto read_byte = [](std::shared_ptr<TcpStream> stream) -> Task<> {
    std::byte byte{};
    static_cast<void>(co_await stream->read({&byte, 1}));
  };
  const auto write_all = [](std::shared_ptr<TcpStream> stream, std::chrono::milliseconds limit) -> Task<bool> {
    stream->set_write_deadline_in(limit);
    const std::vector<std::byte> bytes(kBytes);
    const Result<void> written = co_await stream->write_all(bytes);
    co_return written.has_value();
  };
  auto pair = test::unix_pair();
  const auto stream = std::make_shared<TcpStream>(pair.near.release());
  {
    Runtime first(test_options(2));
    JoinHandle<void> reads = first.spawn(read_byte, stream);
    REQUIRE(test::send_all(pair.far.get(), "x"));
    CHECK(eventually([&] { return reads.done(); }));
    CHECK_FALSE(first.block_on(write_all, stream, 1ms));
  }
  Runtime second(test_options(2));
  CHECK_FALSE(second.block_on(write_all, stream, 1ms));  // no reader: only the deadline ends it
  JoinHandle<bool> writes = second.spawn(write_all, stream, 1h);
  std::thread reader([&] {
    std::this_thread::sleep_for(50ms);
    std::vector<char> into(64 << 10);
    while (::recv(pair.far.get(), into.data(), into.size(), 0) > 0) {
    }
  });
  CHECK(eventually([&] { return writes.done(); }));
  ::shutdown(pair.far.get(), SHUT_RDWR);
  reader.join();
}

TEST_SUITE_END();

}  // namespace volt
