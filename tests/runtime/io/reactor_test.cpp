// SPDX-License-Identifier: MIT

// Tests of the two engines without a runtime. VOLT_TEST_IO selects the engine. Event floods and rescue are tested in
// reactor_rescue_test.cpp.
#include "runtime/io/reactor.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <thread>

#include "tests/support/forbid_call.h"
#include "tests/support/reactor_loop.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"

namespace volt::io {
namespace {

using test::Descriptor;
using test::drain;
using test::Loop;
using test::Pair;
using test::send_byte;
using test::Waiter;
using test::Watched;
using namespace std::chrono_literals;

std::size_t fill(int fd) {
  const std::array<char, 64 * 1024> buffer{};
  std::size_t bytes = 0;
  for (ssize_t count; (count = ::send(fd, buffer.data(), buffer.size(), MSG_DONTWAIT | MSG_NOSIGNAL)) > 0;) {
    bytes += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/io/reactor");

TEST_CASE("the peer's actions are reported as edges and ends") {
  struct Case {
    std::string why;
    Pair (*connect)();
    void (*act)(Descriptor& far);
    bool ends_reading;
    bool ends_writing;
    int read_then;  // result of recv(2) afterwards: bytes, 0 at the end of stream, or -errno
  };
  const auto send = [](Descriptor& far) { send_byte(far); };
  const auto half_close = [](Descriptor& far) { ::shutdown(far.get(), SHUT_WR); };
  const auto send_and_half_close = [](Descriptor& far) {
    send_byte(far);
    ::shutdown(far.get(), SHUT_WR);
  };
  const auto close = [](Descriptor& far) { far.close(); };
  const auto reset = [](Descriptor& far) {
    test::reset_on_close(far.get());
    far.close();
  };
  const Case cases[] = {
      {"data", test::unix_pair, send, false, false, 1},
      {"data on a TCP connection", test::tcp_pair, send, false, false, 1},
      {"a FIN: this side may still write", test::unix_pair, half_close, true, false, 0},
      {"a FIN on a TCP connection", test::tcp_pair, half_close, true, false, 0},
      {"data, then a FIN", test::tcp_pair, send_and_half_close, true, false, 1},
      {"a close of a TCP connection is reported as a FIN", test::tcp_pair, close, true, false, 0},
      {"the close of a unix socket ends both directions", test::unix_pair, close, true, true, 0},
      {"a RST ends both directions", test::tcp_pair, reset, true, true, -ECONNRESET},
  };
  for (const auto& [why, connect, act, ends_reading, ends_writing, read_then] : cases) {
    CAPTURE(why);
    Loop loop;
    Pair pair = connect();
    Watched& source = loop.watch_quiet(std::move(pair.near));
    CHECK_FALSE(source.ended(Direction::read));
    REQUIRE(source.start_wait(Direction::read, source.reader));
    act(pair.far);
    CHECK(loop.until([&] { return source.reader.wakes != 0; }));
    CHECK(loop.until([&] { return source.ended(Direction::read) == ends_reading; }));
    CHECK(loop.until([&] { return source.ended(Direction::write) == ends_writing; }));
    CHECK(source.reader.wakes == 1);
    CHECK(test::receive_some(source.fd()) == read_then);
    loop.unwatch(source);
  }
}

TEST_CASE("after the peer's half-close, this side can still write and gets edges for writing") {
  Loop loop;
  Pair pair = test::tcp_pair();
  Watched& source = loop.watch_quiet(std::move(pair.near));
  ::shutdown(pair.far.get(), SHUT_WR);
  CHECK(loop.comes(source, Direction::read));
  CHECK(loop.comes(source, Direction::read));  // every wait sees the end
  const std::size_t sent = fill(source.fd());
  while (source.try_consume(Direction::write)) {
  }
  std::thread peer([&] { CHECK(test::receive_exactly(pair.far.get(), sent).size() == sent); });
  CHECK(loop.comes(source, Direction::write));
  peer.join();
  loop.unwatch(source);
}

TEST_CASE("each arrival of data at an empty socket is an edge") {
  Loop loop;
  Pair pair = test::unix_pair();
  Watched& source = loop.watch_quiet(std::move(pair.near));
  for (int i = 0; i != 1000; ++i) {
    REQUIRE(source.start_wait(Direction::read, source.reader));
    send_byte(pair.far);
    REQUIRE(loop.until([&] { return source.reader.wakes == i + 1; }));
    REQUIRE(drain(source.fd()) == 1);
  }
  CHECK_FALSE(loop.comes(source, Direction::read, 20ms));
  loop.unwatch(source);
}

TEST_CASE("a full buffer becomes writable when the peer has drained it, and not before") {
  for (Pair (*connect)() : {test::unix_pair, test::tcp_pair}) {
    Loop loop;
    Pair pair = connect();
    Watched& source = loop.watch_quiet(std::move(pair.near));
    for (int round = 0; round != 3; ++round) {
      // TCP moves the sent bytes into the peer's buffer gradually: both buffers are full when a wait for room stays
      // pending.
      std::size_t sent = 0;
      int before = source.writer.wakes;
      for (int wakes = 0;; before = source.writer.wakes) {
        sent += fill(source.fd());
        if (!source.start_wait(Direction::write, source.writer)) continue;
        if (!loop.until([&] { return source.writer.wakes != before; }, 50ms)) break;
        REQUIRE(++wakes < 1000);
      }
      std::size_t received = 0;
      CHECK(loop.until([&] {
        received += drain(pair.far.get());
        return received == sent;
      }));
      CHECK(loop.until([&] { return source.writer.wakes == before + 1; }));
    }
    loop.unwatch(source);
  }
}

TEST_CASE("a wait never ends before its deadline") {
  Loop loop;
  const std::chrono::nanoseconds limits[] = {0ns, 1ns, 1us, 49us, 777us, 1ms, 3ms, 20ms};
  for (int round = 0; round != 20; ++round) {
    for (const std::chrono::nanoseconds limit : limits) {
      CAPTURE(limit.count());
      const std::int64_t until_ns = sched::now_ns() + limit.count();
      base::Chain<Completion> woken;
      loop.reactor().wait(until_ns, woken);
      const std::int64_t late_ns = sched::now_ns() - until_ns;
      CHECK(late_ns >= 0);
      CHECK(late_ns < std::chrono::nanoseconds(5s).count());
      CHECK(woken.empty());
    }
  }
  for (const std::int64_t past_ns : {std::int64_t{0}, std::int64_t{-1}}) {
    base::Chain<Completion> woken;
    loop.reactor().wait(past_ns, woken);  // returns at once
  }
}

TEST_CASE("without epoll_pwait2 in the kernel or the sandbox, a wait lasts as long") {
  for (const int error_number : {ENOSYS, EPERM}) {
    CAPTURE(error_number);
    std::int64_t short_of_ns = 0;
    std::uint64_t enters = 0;
    std::thread sandboxed([&] {
      test::forbid_call(SYS_epoll_pwait2, error_number);
      Loop loop;
      for (const std::chrono::nanoseconds limit : std::array<std::chrono::nanoseconds, 5>{0ns, 1ns, 777us, 1ms, 20ms}) {
        const std::int64_t until_ns = sched::now_ns() + limit.count();
        loop.wait(limit);
        short_of_ns = std::max(short_of_ns, until_ns - sched::now_ns());
      }
      loop.reactor().wake();
      base::Chain<Completion> woken;
      loop.reactor().wait(Reactor::kForever, woken);
      enters = loop.reactor().counters().enters.value();
    });
    sandboxed.join();
    CHECK(short_of_ns <= 0);
    CHECK(enters < 20);
  }
}

TEST_CASE("a wake that comes before the wait ends the wait") {
  Loop loop;
  for (int i = 0; i != 100; ++i) {
    loop.reactor().wake();
    base::Chain<Completion> woken;
    loop.reactor().wait(Reactor::kForever, woken);
    CHECK(woken.empty());
  }
  loop.reactor().wake();
  loop.reactor().wake();
  loop.wait(20s);
  loop.poll();
  const std::int64_t begin_ns = sched::now_ns();
  loop.wait(20ms);
  // An earlier wake does not end this wait.
  CHECK(sched::now_ns() - begin_ns >= std::chrono::nanoseconds(20ms).count());
}

TEST_CASE("each wake by another thread ends a wait, at whatever moment it comes") {
  Loop loop;
  const auto rounds = static_cast<int>(test::stress_rounds(20'000));
  base::Atomic<int> woken_up{0};
  std::thread other([&] {
    for (int i = 0; i != rounds; ++i) {
      while (woken_up.load() < i) std::this_thread::yield();
      // Varies from just before the wait to well inside it.
      for (int spin = 0; spin != i % 512; ++spin) base::spin_pause();
      if (i % 1024 == 0) std::this_thread::sleep_for(2ms);
      loop.reactor().wake();
    }
  });
  for (int i = 0; i != rounds; ++i) {
    const std::int64_t begin_ns = sched::now_ns();
    loop.wait(20s);
    CHECK(sched::now_ns() - begin_ns < std::chrono::nanoseconds(10s).count());
    woken_up.store(i + 1);
  }
  other.join();
}

TEST_CASE("a reused descriptor number brings only the edges of its new file") {
  Loop loop;
  int reused = 0;
  int last_fd = -1;
  const auto rounds = static_cast<int>(test::stress_rounds(3'000));
  for (int i = 0; i != rounds; ++i) {
    Pair pair = test::unix_pair();
    if (pair.near.get() == last_fd) ++reused;
    last_fd = pair.near.get();
    Watched& source = loop.watch(std::move(pair.near));
    CHECK(loop.comes(source, Direction::write));
    CHECK_FALSE(source.try_consume(Direction::read));  // an event of the previous file does not reach this one
    send_byte(pair.far);
    if (i % 2 == 0) CHECK(loop.comes(source, Direction::read));
    loop.unwatch(source);
    if (i % 3 != 0) continue;  // several sources leave the reactor at once
    REQUIRE(loop.let_go_of_all());
  }
  CHECK(reused > rounds / 10);
}

// Regression: io_uring's POLL_REMOVE returned EALREADY for a poll that was just about to report an edge, and left the
// poll armed. The source and its descriptor were then never freed, and the worker that waits for armed() == 0 never
// ended.
TEST_CASE("an unwatch ends the poll even while an edge is on its way") {
  struct Case {
    std::string why;
    bool polled;  // true: the poll is armed before the edge; false: it is submitted together with its cancellation
    void (*act)(Descriptor& far);
  };
  const auto send = [](Descriptor& far) { send_byte(far); };
  const auto close = [](Descriptor& far) { far.close(); };
  const auto receive = [](Descriptor& far) { drain(far.get()); };
  const Case cases[] = {
      {"quiet", true, [](Descriptor&) {}},
      {"data", true, send},
      {"data before the poll", false, send},
      {"the peer closes", true, close},
      {"the peer closes before the poll", false, close},
      {"room in a full buffer", true, receive},
  };
  for (const auto& [why, polled, act] : cases) {
    CAPTURE(why);
    const std::size_t descriptors = test::open_descriptors();
    {
      Loop loop;
      for (std::uint64_t i = 0; i != test::stress_rounds(2'000); ++i) {
        Pair pair = test::unix_pair();
        Watched& source = loop.watch(std::move(pair.near));
        if (act == +receive) fill(source.fd());
        if (polled) loop.poll();
        act(pair.far);
        loop.unwatch(source);
        REQUIRE(loop.let_go_of_all());
      }
    }
    CHECK(test::open_descriptors() == descriptors);
  }
}

TEST_CASE("an unwatch ends the poll at whatever moment an edge comes") {
  Loop loop;
  const std::size_t descriptors = test::open_descriptors();
  Pair pair;
  base::Atomic<int> begun{0};
  base::Atomic<bool> ended{false};
  base::Atomic<int> written{0};
  std::thread writer([&] {
    for (int i = 1;; ++i) {
      while (begun.load() != i && !ended.load()) std::this_thread::yield();
      if (ended.load()) return;
      for (int spin = 0; spin != i % 64; ++spin) base::spin_pause();
      if (i % 4 == 0) {
        ::shutdown(pair.far.get(), SHUT_RDWR);
      } else {
        CHECK(test::send_all(pair.far.get(), "x"));
      }
      written.store(i);
    }
  });
  test::TimedRounds rounds(test::stress_rounds(20'000));
  while (rounds.next()) {
    const int i = static_cast<int>(rounds.begun());
    pair = test::unix_pair();
    Watched& source = loop.watch(Descriptor(::fcntl(pair.near.get(), F_DUPFD_CLOEXEC, 0)));
    loop.poll();
    begun.store(i);
    for (int spin = 0; spin != i % 48; ++spin) base::spin_pause();
    loop.unwatch(source);
    loop.poll();
    while (written.load() != i) std::this_thread::yield();
    CHECK(loop.let_go_of_all());
  }
  ended.store(true);
  writer.join();
  pair.near.close();
  pair.far.close();
  CHECK(test::open_descriptors() == descriptors);
}

TEST_SUITE_END();

TEST_CASE("a file operation wakes its waiter with its result, if the engine supports file operations") {
  Loop loop;
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::array<char, 8> text{'o', 'l', 'd', '!'};
  Waiter waiter;
  FileOperation operation{.kind = FileOperation::Kind::write,
                          .fd = ::fileno(file),
                          .buffer = text.data(),
                          .size_bytes = 4,
                          .offset = 0,
                          .waiter = &waiter};
  const bool starts = loop.reactor().start(operation);
  CHECK(starts == (test_engine() == Engine::uring));
  if (starts) {
    CHECK(loop.until([&] { return waiter.wakes == 1; }));
    CHECK(operation.result == 4);
    struct Case {
      std::string why;
      FileOperation::Kind kind;
      int fd;
      std::uint64_t offset;
      int want;
    };
    const Case cases[] = {
        {"an append goes to the end of the file", FileOperation::Kind::append, ::fileno(file), 0, 4},
        {"a sync waits for the disk", FileOperation::Kind::sync, ::fileno(file), 0, 0},
        {"a data sync waits for the data alone", FileOperation::Kind::sync_data, ::fileno(file), 0, 0},
        {"reads", FileOperation::Kind::read, ::fileno(file), 4, 4},
        {"a read at the end of the file returns 0", FileOperation::Kind::read, ::fileno(file), 8, 0},
        {"an invalid descriptor is an error", FileOperation::Kind::read, -1, 0, -EBADF},
    };
    for (const auto& [why, kind, fd, offset, want] : cases) {
      CAPTURE(why);
      waiter.wakes = 0;
      FileOperation next{
          .kind = kind, .fd = fd, .buffer = text.data(), .size_bytes = 4, .offset = offset, .waiter = &waiter};
      REQUIRE(loop.reactor().start(next));
      CHECK(loop.until([&] { return waiter.wakes == 1; }));
      CHECK(next.result == want);
    }
    CHECK(std::string(text.data(), 4) == "old!");
  }
  std::fclose(file);
}

}  // namespace volt::io
