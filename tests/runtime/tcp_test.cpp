// SPDX-License-Identifier: MIT

// Streams: transfers, deadlines, ends, cancellation. The sockets' registration with reactors is tested in
// tests/runtime/net/socket_test.cpp.
#include "runtime/tcp.h"

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <cerrno>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::Descriptor;
using test::Outcome;
using test::Pair;
using namespace std::chrono_literals;

TcpStream stream_of(Descriptor&& fd) { return TcpStream(fd.release()); }

Task<> echo(TcpStream stream) {
  std::vector<std::byte> buffer(4096);
  for (;;) {
    const Result<std::size_t> count = co_await stream.read(buffer);
    if (!count || *count == 0) co_return;
    const Result<void> written = co_await stream.write_all(std::span(buffer).first(*count));
    if (!written) co_return;
  }
}

// Returns the n-th byte of a long transfer.
std::byte pattern(std::size_t n) { return static_cast<std::byte>((n * 31 + n / 4099) % 251); }

std::vector<std::byte> patterned(std::size_t bytes) {
  std::vector<std::byte> all(bytes);
  for (std::size_t i = 0; i != bytes; ++i) all[i] = pattern(i);
  return all;
}

Task<bool> send_patterned(TcpStream stream, std::size_t bytes) {
  const std::vector<std::byte> all = patterned(bytes);
  const Result<void> written = co_await stream.write_all(all);
  co_return written.has_value();
}

// Returns the number of bytes until the end, if each byte is correct; pauses between reads.
Task<std::size_t> receive_patterned(TcpStream stream, std::chrono::nanoseconds rest) {
  std::vector<std::byte> buffer(100'000);
  std::size_t received = 0;
  for (;;) {
    const Result<std::size_t> count = co_await stream.read(buffer);
    if (!count || *count == 0) co_return received;
    for (std::size_t i = 0; i != *count; ++i) {
      if (buffer[i] != pattern(received + i)) co_return 0;
    }
    received += *count;
    co_await sleep_for(rest);
  }
}

void fill(int fd) {
  const std::vector<char> buffer(64 * 1024);
  while (::send(fd, buffer.data(), buffer.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
  }
}

std::errc code_of(const Result<void>& result) {
  return result ? std::errc{} : static_cast<std::errc>(result.error().default_error_condition().value());
}

std::errc code_of(const Result<std::size_t>& result) {
  return result ? std::errc{} : static_cast<std::errc>(result.error().default_error_condition().value());
}

}  // namespace

TEST_SUITE_BEGIN("runtime/tcp");

TEST_CASE("an echo server returns all data until the peer's end") {
  Runtime runtime(test_options());
  for (Pair (*connect)() : {test::unix_pair, test::tcp_pair}) {
    Pair pair = connect();
    const JoinHandle<void> server = runtime.spawn(echo, stream_of(std::move(pair.near)));
    for (const std::size_t bytes : {1, 2, 4095, 4096, 4097, 50'000}) {
      const std::string text(bytes, static_cast<char>('a' + bytes % 26));
      REQUIRE(test::send_all(pair.far.get(), text));
      CHECK(test::receive_exactly(pair.far.get(), bytes) == text);
    }
    ::shutdown(pair.far.get(), SHUT_WR);
    CHECK(test::receive_some(pair.far.get()) == 0);
    CHECK(test::eventually([&] { return server.done(); }));
  }
}

TEST_CASE("ten megabytes arrive complete at a slow reader, and from a fast writer") {
  constexpr std::size_t kBytes = 10'000'000;
  Runtime runtime(test_options());
  for (Pair (*connect)() : {test::unix_pair, test::tcp_pair}) {
    Pair out = connect();
    JoinHandle<bool> sender = runtime.spawn(send_patterned, stream_of(std::move(out.near)), kBytes);
    std::size_t received = 0;
    std::size_t wrong = 0;
    std::vector<std::byte> buffer(100'000);
    while (received != kBytes) {
      const ssize_t count = ::recv(out.far.get(), buffer.data(), buffer.size(), 0);
      if (count < 0 && errno == EINTR) continue;  // closing an io_uring ring may interrupt system calls
      REQUIRE(count > 0);
      for (ssize_t i = 0; i != count; ++i) wrong += buffer[static_cast<std::size_t>(i)] != pattern(received++) ? 1 : 0;
      std::this_thread::sleep_for(1ms);
    }
    CHECK(received == kBytes);
    CHECK(wrong == 0);
    CHECK(test::eventually([&] { return sender.done(); }));
    CHECK(sender.task().take());

    Pair in = connect();
    JoinHandle<std::size_t> receiver = runtime.spawn(receive_patterned, stream_of(std::move(in.near)), 500us);
    const std::vector<std::byte> all = patterned(kBytes);
    CHECK(test::send_all(in.far.get(), {reinterpret_cast<const char*>(all.data()), all.size()}));
    in.far.close();
    CHECK(test::eventually([&] { return receiver.done(); }));
    CHECK(receiver.task().take() == kBytes);
  }
}

TEST_CASE("a wait ends at its deadline, also after the deadline was moved") {
  struct Case {
    std::string why;
    void (*set)(TcpStream&);
    bool reads;
    std::chrono::nanoseconds after;
  };
  const Case cases[] = {
      {"a read", [](TcpStream& s) { s.set_read_deadline_in(40ms); }, true, 40ms},
      {"a write into a full buffer", [](TcpStream& s) { s.set_write_deadline_in(40ms); }, false, 40ms},
      {"each direction has its own deadline",
       [](TcpStream& s) {
         s.set_write_deadline_in(5ms);
         s.set_read_deadline_in(40ms);
       },
       true, 40ms},
      {"moved later",
       [](TcpStream& s) {
         s.set_read_deadline_in(10ms);
         s.set_read_deadline_in(80ms);
       },
       true, 80ms},
      {"moved later many times",
       [](TcpStream& s) {
         for (int i = 1; i <= 80; ++i) s.set_read_deadline_in(i * 1ms);
       },
       true, 80ms},
      {"moved earlier",
       [](TcpStream& s) {
         s.set_read_deadline_in(1h);
         s.set_read_deadline_in(30ms);
       },
       true, 30ms},
      {"removed, and set again",
       [](TcpStream& s) {
         s.set_read_deadline_in(10ms);
         s.set_read_deadline_in(std::chrono::nanoseconds::max());
         s.set_read_deadline_in(60ms);
       },
       true, 60ms},
      {"the deadline is now", [](TcpStream& s) { s.set_read_deadline_in(0ns); }, true, 0ns},
      {"the deadline has long passed", [](TcpStream& s) { s.set_read_deadline_in(-1h); }, true, 0ns},
  };
  Runtime runtime(test_options());
  for (const auto& [why, set, reads, after] : cases) {
    CAPTURE(why);
    Pair pair = test::unix_pair();
    fill(pair.near.get());
    TcpStream stream = stream_of(std::move(pair.near));
    std::int64_t took_ns = 0;
    const std::errc code = runtime.block_on([&]() -> Task<std::errc> {
      const std::int64_t begin_ns = sched::current()->tick_time_ns;
      set(stream);
      const Result<void> ready = co_await (reads ? stream.readable() : stream.writable());
      took_ns = sched::now_ns() - begin_ns;
      co_return code_of(ready);
    });
    CHECK(code == std::errc::timed_out);
    CHECK(took_ns >= after.count());
    CHECK(took_ns < std::chrono::nanoseconds(10s).count());
  }
}

TEST_CASE("a removed deadline does not end a wait") {
  Runtime runtime(test_options());
  Pair pair = test::unix_pair();
  TcpStream stream = stream_of(std::move(pair.near));
  std::thread peer([&] {
    std::this_thread::sleep_for(60ms);
    CHECK(test::send_all(pair.far.get(), "x"));
  });
  const std::errc code = runtime.block_on([&]() -> Task<std::errc> {
    stream.set_read_deadline_in(15ms);
    stream.set_read_deadline_in(std::chrono::nanoseconds::max());
    std::byte byte;
    const Result<std::size_t> count = co_await stream.read({&byte, 1});
    co_return code_of(count);
  });
  CHECK(code == std::errc{});
  peer.join();
}

TEST_CASE("a peer that sends single bytes does not move the deadline") {
  Runtime runtime(test_options());
  Pair pair = test::tcp_pair();
  TcpStream stream = stream_of(std::move(pair.near));
  base::Atomic<bool> over{false};
  std::thread peer([&] {
    while (!over.load()) {
      CHECK(test::send_all(pair.far.get(), "x"));
      std::this_thread::sleep_for(2ms);
    }
  });
  std::size_t received = 0;
  const std::int64_t begin_ns = sched::now_ns();
  const std::errc code = runtime.block_on([&]() -> Task<std::errc> {
    stream.set_read_deadline_in(400ms);
    for (std::byte byte;;) {
      const Result<std::size_t> count = co_await stream.read({&byte, 1});
      if (!count) co_return code_of(count);
      received += *count;
    }
  });
  over.store(true);
  peer.join();
  CHECK(code == std::errc::timed_out);
  CHECK(received > 2);
  CHECK(sched::now_ns() - begin_ns < std::chrono::nanoseconds(10s).count());
}

TEST_CASE("after a timeout, the stream is usable with a new deadline") {
  Runtime runtime(test_options());
  Pair pair = test::unix_pair();
  TcpStream stream = stream_of(std::move(pair.near));
  for (int round = 0; round != 10; ++round) {
    std::byte byte{};
    const auto read_within = [&](std::chrono::nanoseconds limit) -> Task<std::errc> {
      stream.set_read_deadline_in(limit);
      const Result<std::size_t> count = co_await stream.read({&byte, 1});
      co_return code_of(count);
    };
    CHECK(runtime.block_on(read_within, 3ms) == std::errc::timed_out);
    REQUIRE(test::send_all(pair.far.get(), "y"));
    CHECK(runtime.block_on(read_within, 20s) == std::errc{});
    CHECK(byte == std::byte{'y'});
  }
}

namespace {

Task<> wait_readable(TcpStream stream) {
  const Result<void> ready = co_await stream.readable();
  static_cast<void>(ready);
}
Task<> wait_writable(TcpStream stream) {
  const Result<void> ready = co_await stream.writable();
  static_cast<void>(ready);
}
Task<> read_forever(TcpStream stream) {
  std::byte byte;
  for (;;) {
    const Result<std::size_t> count = co_await stream.read({&byte, 1});
    static_cast<void>(count);
  }
}
Task<> write_forever(TcpStream stream) {
  const std::vector<std::byte> buffer(1 << 20);
  for (;;) {
    const Result<void> written = co_await stream.write_all(buffer);
    static_cast<void>(written);
  }
}

}  // namespace

TEST_CASE("a cancel ends a task's wait, and its stream is closed") {
  struct Case {
    std::string why;
    Task<> (*wait)(TcpStream);
  };
  const Case cases[] = {{"readable", wait_readable},
                        {"writable, and the buffer is full", wait_writable},
                        {"read", read_forever},
                        {"write_all", write_forever}};
  Runtime runtime(test_options());
  const std::size_t descriptors = test::open_descriptors();
  for (const auto& [why, wait] : cases) {
    CAPTURE(why);
    for (std::uint64_t round = 0; round != test::stress_rounds(400); ++round) {
      Pair pair = test::unix_pair();
      fill(pair.near.get());
      JoinHandle<void> task = runtime.spawn(wait, stream_of(std::move(pair.near)));
      if (round % 8 == 0) std::this_thread::sleep_for(1ms);  // in other rounds the cancel may come before the wait
      task.cancel();
      REQUIRE(runtime.block_on(test::outcome_of<void>, std::move(task)) == Outcome::cancelled);
      while (test::receive_some(pair.far.get()) > 0) {
      }
      CHECK(test::receive_some(pair.far.get()) == 0);
    }
  }
  CHECK(test::eventually([&] { return test::open_descriptors() <= descriptors; }));
  CHECK(test::eventually([&] { return runtime.metrics().total().descriptors == 0; }));
}

namespace {

Task<std::errc> read_shared(std::shared_ptr<TcpStream> stream) {
  const Result<void> ready = co_await stream->readable();
  co_return code_of(ready);
}

}  // namespace

TEST_CASE("a read wait that another thread interrupts fails with interrupted, and the stream stays usable") {
  Runtime runtime(test_options());
  Pair pair = test::tcp_pair();
  const auto stream = std::make_shared<TcpStream>(pair.near.release());
  stream->interrupt_read();  // has no effect, because no task waits
  for (int round = 0; round != 100; ++round) {
    JoinHandle<std::errc> reader = runtime.spawn(read_shared, stream);
    CHECK(test::eventually([&] {
      stream->interrupt_read();
      return reader.done();
    }));
    CHECK(reader.task().take() == std::errc::interrupted);
    JoinHandle<std::errc> again = runtime.spawn(read_shared, stream);
    REQUIRE(test::send_all(pair.far.get(), "x"));
    CHECK(test::eventually([&] { return again.done(); }));
    CHECK(again.task().take() == std::errc{});
    std::byte byte;
    CHECK(stream->try_read({&byte, 1}) == 1);
    CHECK(code_of(stream->try_read({&byte, 1})) == std::errc::operation_would_block);
  }
}

TEST_CASE("a reset by the peer is an error of reads and writes, neither a signal nor an end of data") {
  Runtime runtime(test_options());
  Pair pair = test::tcp_pair();
  TcpStream stream = stream_of(std::move(pair.near));
  std::thread peer([&] {
    std::this_thread::sleep_for(10ms);  // the read waits by then
    test::reset_on_close(pair.far.get());
    pair.far.close();
  });
  const auto read = [&]() -> Task<std::errc> {
    std::byte byte;
    const Result<std::size_t> count = co_await stream.read({&byte, 1});
    co_return code_of(count);
  };
  const auto write = [&]() -> Task<std::errc> {
    const std::vector<std::byte> buffer(100);
    const Result<void> written = co_await stream.write_all(buffer);
    co_return code_of(written);
  };
  CHECK(runtime.block_on(read) == std::errc::connection_reset);
  CHECK(runtime.block_on(write) == std::errc::broken_pipe);
  peer.join();
}

TEST_CASE("a half-closed peer still receives data, and abort_on_close() resets the connection") {
  Runtime runtime(test_options());
  Pair pair = test::tcp_pair();
  REQUIRE(test::send_all(pair.far.get(), "question"));
  ::shutdown(pair.far.get(), SHUT_WR);
  {
    TcpStream stream = stream_of(std::move(pair.near));
    const std::size_t received = runtime.block_on([&]() -> Task<std::size_t> {
      std::vector<std::byte> buffer(100);
      std::size_t all = 0;
      for (;;) {
        const Result<std::size_t> count = co_await stream.read(buffer);
        if (!count || *count == 0) break;
        all += *count;
      }
      const Result<void> written = co_await stream.write_all(std::as_bytes(std::span("answer", 6)));
      if (written) stream.shutdown_write();
      co_return all;
    });
    CHECK(received == 8);
    CHECK(test::receive_exactly(pair.far.get(), 6) == "answer");
    CHECK(test::receive_some(pair.far.get()) == 0);
  }
  for (const bool has_waited : {false, true}) {  // true: its reactor releases the socket later
    Pair aborted = test::tcp_pair();
    {
      TcpStream stream = stream_of(std::move(aborted.near));
      const auto wait = [&]() -> Task<> {
        stream.set_read_deadline_in(1ms);
        const Result<void> ready = co_await stream.readable();
        CHECK_FALSE(ready.has_value());
      };
      if (has_waited) runtime.block_on(wait);
      stream.abort_on_close();
    }
    CHECK(test::receive_some(aborted.far.get()) == -ECONNRESET);
  }
}

TEST_CASE("corked data arrives with the end of the data") {
  Runtime runtime(test_options());
  bool was_held = false;  // the kernel holds data for only 200 ms, which may pass on a busy machine
  for (int attempt = 0; attempt != 20; ++attempt) {
    Pair pair = test::tcp_pair();
    TcpStream stream = stream_of(std::move(pair.near));
    stream.cork();
    CHECK(stream.try_write(std::as_bytes(std::span("last ", 5))) == 5);
    CHECK(stream.try_write(std::as_bytes(std::span("words", 5))) == 5);
    char first = 0;
    was_held = was_held || ::recv(pair.far.get(), &first, 1, MSG_PEEK | MSG_DONTWAIT) < 0;
    stream.shutdown_write();
    CHECK(test::receive_exactly(pair.far.get(), 10) == "last words");
    CHECK(test::receive_some(pair.far.get()) == 0);
  }
  CHECK(was_held);
}

TEST_SUITE_END();

}  // namespace volt
