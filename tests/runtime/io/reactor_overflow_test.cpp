// SPDX-License-Identifier: MIT

// Tests of a ring whose completion queue overflows: multishot polls end, and the reactor arms them again. The queues
// are tiny and the wake-up is that of each kernel, so that the tests do not depend on the kernel that runs them.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "runtime/io/reactor.h"
#include "tests/support/engine.h"
#include "tests/support/reactor_loop.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"

namespace volt::io {
namespace {

using test::drain;
using test::Loop;
using test::Pair;
using test::send_byte;
using test::Watched;
using namespace std::chrono_literals;

struct RingCase {
  std::string why;
  RingOptions ring;
};

const RingCase kRings[] = {
    {"a wake-up by a message, 16 completions", {.wake_by_eventfd = false, .completion_entries = 16}},
    {"a wake-up by an eventfd, 16 completions", {.wake_by_eventfd = true, .completion_entries = 16}},
    {"a wake-up by an eventfd, 64 completions", {.wake_by_eventfd = true, .completion_entries = 64}},
    {"a wake-up by an eventfd, the usual queue", {.wake_by_eventfd = true, .completion_entries = 0}},
};

constexpr std::size_t kSources = 300;
constexpr int kMoreFlushesThanNeeded = 100;

// Sources that are ready together. Each reader waits when `wait_all` has returned.
class Crowd {
 public:
  explicit Crowd(Loop& loop, std::size_t count = kSources) : loop_(loop) {
    for (std::size_t i = 0; i != count; ++i) {
      pairs.push_back(test::unix_pair());
      sources.push_back(&loop.watch(std::move(pairs.back().near)));
      REQUIRE(sources.back()->start_wait(Direction::write, sources.back()->writer));
    }
    CHECK(loop.until(
        [&] { return std::ranges::all_of(sources, [](const Watched* source) { return source->writer.wakes != 0; }); }));
  }

  void wait_all() {
    before_.clear();
    for (Watched* source : sources) {
      // A poll that was armed again may have reported an edge twice.
      while (!source->ended(Direction::read) && !source->start_wait(Direction::read, source->reader)) {
      }
      before_.push_back(source->reader.wakes);
    }
  }
  [[nodiscard]] bool all_woken() const {
    for (std::size_t i = 0; i != sources.size(); ++i) {
      if (!sources[i]->ended(Direction::read) && sources[i]->reader.wakes == before_[i]) return false;
    }
    return true;
  }
  void drain_all() {
    for (Watched* source : sources) drain(source->fd());
  }
  void unwatch_all() {
    for (Watched* source : sources) loop_.unwatch(*source);
    sources.clear();
  }

  std::vector<Pair> pairs;
  std::vector<Watched*> sources;

 private:
  Loop& loop_;
  std::vector<int> before_;
};

// Makes completions visible as an interrupt does, without collecting them.
void flush(Loop& loop) {
  for (int i = 0; i != kMoreFlushesThanNeeded; ++i) loop.reactor().flush_from_signal();
}

// Returns whether a wake ends a wait, then whether the reactor is quiet: a wait without events lasts and costs little.
bool wakes_and_rests(Loop& loop) {
  const std::int64_t begin_ns = sched::now_ns();
  loop.reactor().wake();
  loop.wait(20s);
  if (sched::now_ns() - begin_ns > std::chrono::nanoseconds(10s).count()) return false;
  for (int i = 0; i != kMoreFlushesThanNeeded; ++i) loop.poll();
  const std::uint64_t enters = loop.reactor().counters().enters.value();
  const std::int64_t rest_ns = sched::now_ns();
  loop.wait(20ms);
  CHECK(sched::now_ns() - rest_ns >= std::chrono::nanoseconds(20ms).count());
  return loop.reactor().counters().enters.value() - enters <= 2;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/io/reactor_overflow");

TEST_CASE("a wake before, among or after a burst of edges is not lost, nor is a later one") {
  for (const auto& [why, ring] : kRings) {
    for (const std::size_t wake_at : {std::size_t{0}, kSources / 2, kSources - 1}) {
      for (const bool flushed : {false, true}) {
        CAPTURE(why);
        CAPTURE(wake_at);
        CAPTURE(flushed);
        Loop loop(ring);
        Crowd crowd(loop);
        CHECK(wakes_and_rests(loop));
        for (int round = 0; round != 3; ++round) {
          crowd.wait_all();
          for (std::size_t i = 0; i != kSources; ++i) {
            if (i == wake_at) loop.reactor().wake();
            send_byte(crowd.pairs[i].far);
          }
          if (flushed) flush(loop);
          CHECK(loop.until([&] { return crowd.all_woken(); }));
          crowd.drain_all();
          CHECK(wakes_and_rests(loop));
        }
        if (flushed && ring.completion_entries == 16 && test_engine() == Engine::uring) {
          CHECK(loop.reactor().counters().overflows.value() > 0);
        }
        CHECK(loop.reactor().armed() == kSources);
        crowd.unwatch_all();
      }
    }
  }
}

TEST_CASE("connections that end at once cost a bounded number of system calls") {
  struct Case {
    std::string why;
    void (*end)(test::Descriptor& far);
    bool breaks;
  };
  const Case cases[] = {
      {"a half-close", [](test::Descriptor& far) { ::shutdown(far.get(), SHUT_WR); }, false},
      {"a close", [](test::Descriptor& far) { far.close(); }, true},
  };
  for (const auto& [why_ring, ring] : kRings) {
    for (const auto& [why, end, breaks] : cases) {
      for (const bool flushed : {false, true}) {
        CAPTURE(why_ring);
        CAPTURE(why);
        CAPTURE(flushed);
        Loop loop(ring);
        Crowd crowd(loop);
        crowd.wait_all();
        const std::uint64_t enters = loop.reactor().counters().enters.value();
        const std::uint64_t events = loop.reactor().counters().events.value();
        for (Pair& pair : crowd.pairs) end(pair.far);
        if (flushed) flush(loop);
        const auto has_ended = [&](const Watched* source) {
          return source->ended(Direction::read) && source->ended(Direction::write) == breaks &&
                 source->reader.wakes == 1;
        };
        CHECK(loop.until([&] { return std::ranges::all_of(crowd.sources, has_ended); }));
        for (const Watched* source : crowd.sources) CHECK(source->reader.wakes == 1);
        CHECK(wakes_and_rests(loop));
        CHECK(loop.reactor().counters().enters.value() - enters < 2 * kSources);
        CHECK(loop.reactor().counters().events.value() - events < 8 * kSources);
        for (Watched* source : crowd.sources) {
          CHECK_FALSE(source->start_wait(Direction::read, source->reader));
          if (breaks) CHECK_FALSE(source->start_wait(Direction::write, source->writer));
        }
        crowd.unwatch_all();
        CHECK(loop.let_go_of_all());
        CHECK(wakes_and_rests(loop));
      }
    }
  }
}

namespace {

// Rescues until nothing is left to rescue, as another thread does for an owner that is busy; the owner's part is that
// it is interrupted.
void rescue_all(Loop& loop) {
  while (loop.reactor().rescuable()) {
    loop.reactor().flush_from_signal();
    std::thread([&] {
      base::Chain<Completion> woken;
      loop.reactor().rescue(woken, [] { return true; });
      Loop::wake(woken);
    }).join();
  }
}

}  // namespace

TEST_CASE("a rescuer reports every edge of a burst, and the owner arms the ended polls again") {
  if (test_engine() == Engine::epoll)
    return;  // a rescuer of epoll sees 256 events and no flag that says there are more
  for (const auto& [why, ring] : kRings) {
    for (const bool woken_too : {false, true}) {
      CAPTURE(why);
      CAPTURE(woken_too);
      Loop loop(ring);
      Crowd crowd(loop);
      CHECK(wakes_and_rests(loop));  // every poll is armed
      for (int round = 0; round != 3; ++round) {
        crowd.wait_all();
        for (std::size_t i = 0; i != kSources; ++i) {
          send_byte(crowd.pairs[i].far);
          if (woken_too && i == kSources / 2) loop.reactor().wake();
        }
        rescue_all(loop);
        CHECK(crowd.all_woken());
        crowd.drain_all();
        if (woken_too) {  // the owner's next wait gives the wake back
          const std::int64_t begin_ns = sched::now_ns();
          loop.wait(20s);
          CHECK(sched::now_ns() - begin_ns < std::chrono::nanoseconds(10s).count());
        }
        CHECK(wakes_and_rests(loop));
      }
      CHECK(loop.reactor().armed() == kSources);
      crowd.unwatch_all();
    }
  }
}

TEST_CASE("a source whose poll has ended is closed, moves to another reactor and comes back like any other") {
  if (test_engine() == Engine::epoll) return;  // its polls do not end
  for (const auto& [why, ring] : kRings) {
    CAPTURE(why);
    Loop loop(ring);
    Loop other(ring);
    Crowd crowd(loop);
    CHECK(wakes_and_rests(loop));  // every poll is armed
    crowd.wait_all();
    for (const Pair& pair : crowd.pairs) send_byte(pair.far);
    rescue_all(loop);  // the ended polls wait for the owner
    CHECK(crowd.all_woken());
    crowd.drain_all();
    for (std::size_t i = 0; i != kSources; ++i) {
      Watched& source = *crowd.sources[i];
      if (i % 4 == 0) continue;
      if (i % 4 == 1) {
        loop.unwatch(source);
        continue;
      }
      other.reactor().watch(source);
      loop.reactor().unwatch(source);
      if (i % 4 == 2) continue;
      loop.reactor().watch(source);
      other.reactor().unwatch(source);
    }
    CHECK(wakes_and_rests(loop));
    CHECK(wakes_and_rests(other));
    std::vector<Watched*> left;
    std::vector<int> before;
    for (std::size_t i = 0; i != kSources; ++i) {
      if (i % 4 == 1) continue;
      Watched& source = *crowd.sources[i];
      while (!source.start_wait(Direction::read, source.reader)) {
      }
      left.push_back(&source);
      before.push_back(source.reader.wakes);
      send_byte(crowd.pairs[i].far);
    }
    const auto all_woken = [&] {
      other.poll();
      for (std::size_t i = 0; i != left.size(); ++i) {
        if (left[i]->reader.wakes == before[i]) return false;
      }
      return true;
    };
    CHECK(loop.until(all_woken));
    CHECK(wakes_and_rests(loop));
    CHECK(other.reactor().armed() == kSources / 4);
    for (std::size_t i = 0; i != kSources; ++i) {
      if (i % 4 == 1) continue;
      Watched& source = *crowd.sources[i];
      source.set_closing();
      source.reactor()->unwatch(source);
      source.drop_reference();
    }
    CHECK(loop.until([&] {
      other.poll();
      return other.reactor().armed() == 0 && loop.reactor().armed() == 0;
    }));
  }
}

TEST_SUITE_END();

}  // namespace volt::io
