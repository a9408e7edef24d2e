// SPDX-License-Identifier: MIT

// A reactor without a runtime: the test's thread owns it, watches sockets in it and counts the tasks that it wakes.
//
// Threads: the one that made the Loop, but for what Reactor allows to others.
#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/io/reactor.h"
#include "runtime/sched/clock.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"

namespace volt::test {

using namespace std::chrono_literals;
using io::Direction;

struct Waiter : io::Completion {
  int wakes = 0;
};

// A socket that is watched, with one waiter for each direction.
class Watched final : public io::Source {
 public:
  Watched(Descriptor fd, int& alive) : io::Source(fd.release()), alive_(alive) { ++alive_; }

  Waiter reader;
  Waiter writer;

 private:
  ~Watched() override { --alive_; }

  int& alive_;
};

// The reactor of this thread and what is watched in it.
class Loop {
 public:
  explicit Loop(const io::RingOptions& ring = io::default_ring)
      : reactor_(std::move(io::Reactor::create(test_engine(), ring).value())) {
    poll();  // io_uring's way of waking is tried when the reactor is made: that wake is over now
  }
  ~Loop() { CHECK(let_go_of_all()); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  [[nodiscard]] io::Reactor& reactor() noexcept { return *reactor_; }
  [[nodiscard]] int alive() const noexcept { return alive_; }

  [[nodiscard]] Watched& watch(Descriptor fd) {
    auto* source = new Watched(std::move(fd), alive_);
    reactor_->watch(*source);
    return *source;
  }
  // Watches the source, and consumes the edge with which every socket begins: there is room to write.
  [[nodiscard]] Watched& watch_quiet(Descriptor fd) {
    Watched& source = watch(std::move(fd));
    CHECK(comes(source, Direction::write));
    return source;
  }
  void unwatch(Watched& source) {
    source.set_closing();
    reactor_->unwatch(source);
    source.drop_reference();
  }
  // Whether every source that was unwatched goes.
  [[nodiscard]] bool let_go_of_all() {
    return until([this] { return reactor_->armed() == 0 && alive_ == 0; });
  }

  void poll() {
    base::Chain<io::Completion> woken;
    reactor_->poll(woken);
    wake(woken);
  }
  void wait(std::chrono::nanoseconds limit) {
    base::Chain<io::Completion> woken;
    reactor_->wait(sched::now_ns() + limit.count(), woken);
    wake(woken);
  }
  static void wake(base::Chain<io::Completion>& woken) {
    while (io::Completion* completion = woken.pop_front()) ++static_cast<Waiter*>(completion)->wakes;
  }

  // Runs the loop until `condition`; false if that takes too long.
  template <class Condition>
  [[nodiscard]] bool until(Condition condition, std::chrono::nanoseconds timeout = 20s) {
    const std::int64_t end_ns = sched::now_ns() + timeout.count();
    while (!condition()) {
      if (sched::now_ns() >= end_ns) return false;
      wait(1ms);
    }
    return true;
  }
  // Waits as a task would for an edge of that direction: whether it comes, and wakes once.
  [[nodiscard]] bool comes(Watched& source, Direction direction, std::chrono::nanoseconds timeout = 20s) {
    Waiter& waiter = direction == Direction::read ? source.reader : source.writer;
    const int before = waiter.wakes;
    if (!source.start_wait(direction, waiter)) return true;
    if (until([&] { return waiter.wakes != before; }, timeout)) return waiter.wakes == before + 1;
    return source.stop_wait(direction) == nullptr;
  }

 private:
  std::unique_ptr<io::Reactor> reactor_;
  int alive_ = 0;
};

// Sends one byte.
inline void send_byte(const Descriptor& to) { REQUIRE(send_all(to.get(), "x")); }

// Takes out everything that is there: bytes.
inline std::size_t drain(int fd) {
  std::array<char, 64 * 1024> buffer;
  std::size_t bytes = 0;
  for (ssize_t count; (count = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0;) {
    bytes += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace volt::test
