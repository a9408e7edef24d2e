// SPDX-License-Identifier: MIT

// Tests of a reactor whose events are not collected for a while: a completion queue that overflows, and rescue by
// another thread.
#include <doctest/doctest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <thread>
#include <vector>

#include "runtime/io/reactor.h"
#include "tests/support/engine.h"
#include "tests/support/reactor_loop.h"
#include "tests/support/sanitizers.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt::io {
namespace {

using test::drain;
using test::Loop;
using test::Pair;
using test::send_byte;
using test::Watched;
using namespace std::chrono_literals;

// Creates as many pairs as the limit of descriptors allows, up to `wanted`. The limit is raised while this object
// exists.
class ManyPairs {
 public:
  explicit ManyPairs(std::size_t wanted) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit raised = before_;
    raised.rlim_cur = raised.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &raised);
    const std::size_t allowed = (raised.rlim_cur - 200) / 2;
    for (std::size_t i = 0; i != std::min(wanted, allowed); ++i) pairs.push_back(test::unix_pair());
  }
  ~ManyPairs() {
    pairs.clear();
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }

  std::vector<Pair> pairs;

 private:
  rlimit before_{};
};

}  // namespace

TEST_SUITE_BEGIN("runtime/io/reactor_rescue");

TEST_CASE("no event is lost when more events arrive than the completion queue holds") {
  constexpr std::size_t kMoreThanTheQueue = 5'500;
  ManyPairs many(kMoreThanTheQueue);
  RingOptions ring = default_ring;
  if (ring.completion_entries == 0) ring.completion_entries = 4'096;
  Loop loop(ring);
  struct Served {
    Watched* source;
    int wakes = 0;  // number of wakes that were handled
    int received = 0;
  };
  std::vector<Served> all;
  // Each pair has room to write from the beginning, so each has a completion before the first one is collected.
  for (Pair& pair : many.pairs) {
    Watched& source = loop.watch(std::move(pair.near));
    REQUIRE(source.start_wait(Direction::write, source.writer));
    REQUIRE(source.start_wait(Direction::read, source.reader));
    all.push_back({&source});
  }
  CHECK(loop.until(
      [&] { return std::ranges::all_of(all, [](const Served& s) { return s.source->writer.wakes != 0; }); }));

  // Reads as a task does: after it was woken, and again when an edge came before its next wait. A poll that had no room
  // for its completion is armed again and may report an edge twice.
  const auto serve = [](Served& served) {
    Watched& source = *served.source;
    if (source.reader.wakes == served.wakes) return;
    served.wakes = source.reader.wakes;
    do {
      served.received += static_cast<int>(drain(source.fd()));
    } while (!source.start_wait(Direction::read, source.reader));
  };
  for (int round = 1; round <= 3; ++round) {
    CAPTURE(round);
    for (const Pair& pair : many.pairs) send_byte(pair.far);
    // Completions are posted, as by interrupts for rescuers, but not collected.
    for (int i = 0; i != 1000; ++i) loop.reactor().flush_from_signal();
    CHECK(loop.until([&] {
      std::ranges::for_each(all, serve);
      return std::ranges::all_of(all, [&](const Served& s) { return s.received == round; });
    }));
  }
  const bool spilled = test_engine() == Engine::uring && many.pairs.size() == kMoreThanTheQueue;
  if (spilled) CHECK(loop.reactor().counters().overflows.value() > 0);
  CHECK(loop.reactor().armed() == all.size());
  for (const Pair& pair : many.pairs) send_byte(pair.far);
  for (const Served& served : all) loop.unwatch(*served.source);
  CHECK(loop.let_go_of_all());
}

namespace {

// Performs one rescue. Returns how many waiters it woke.
int rescue_once(Reactor& reactor) {
  base::Chain<Completion> woken;
  reactor.rescue(woken, [] { return true; });
  const auto count = static_cast<int>(woken.size());
  Loop::wake(woken);
  return count;
}

Reactor* interrupted_reactor = nullptr;  // global, because a signal handler has no other access to it

// While it exists, a signal to the thread that created it flushes that thread's reactor.
class FlushOnSignal {
 public:
  explicit FlushOnSignal(Reactor& reactor) : thread_(::pthread_self()) {
    interrupted_reactor = &reactor;
    struct sigaction action{};
    action.sa_handler = [](int) { interrupted_reactor->flush_from_signal(); };
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGUSR1, &action, &before_);
  }
  ~FlushOnSignal() { ::sigaction(SIGUSR1, &before_, nullptr); }
  FlushOnSignal(const FlushOnSignal&) = delete;
  FlushOnSignal& operator=(const FlushOnSignal&) = delete;

  void interrupt() const { ::pthread_kill(thread_, SIGUSR1); }

 private:
  pthread_t thread_;
  struct sigaction before_{};
};

}  // namespace

TEST_CASE("another thread rescues events while the owner does not poll, and the owner does not see them again") {
  Loop loop;
  Pair pair = test::unix_pair();
  Watched& source = loop.watch_quiet(std::move(pair.near));
  CHECK_FALSE(loop.reactor().rescuable());
  for (int round = 1; round <= 200; ++round) {
    REQUIRE(source.start_wait(Direction::read, source.reader));
    send_byte(pair.far);
    CHECK(test::eventually([&] { return loop.reactor().rescuable(); }));
    CHECK(loop.reactor().needs_interrupt() == (test_engine() == Engine::uring));
    loop.reactor().flush_from_signal();
    CHECK_FALSE(loop.reactor().needs_interrupt());
    std::thread([&] { CHECK(rescue_once(loop.reactor()) == 1); }).join();
    CHECK(source.reader.wakes == round);
    REQUIRE(drain(source.fd()) == 1);
    loop.poll();
    loop.wait(0ns);
    CHECK(source.reader.wakes == round);
  }
  loop.unwatch(source);
}

TEST_CASE("another thread rescues the completion of a file operation") {
  Loop loop;
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  char byte = 'x';
  for (int round = 0; round != 50; ++round) {
    test::Waiter waiter;
    FileOperation operation{.kind = FileOperation::Kind::sync,
                            .fd = ::fileno(file),
                            .buffer = &byte,
                            .size_bytes = 1,
                            .waiter = &waiter,
                            .result = -1};
    if (!loop.reactor().start(operation)) break;  // epoll has no file operations
    CHECK(test::eventually([&] { return loop.reactor().rescuable(); }));
    loop.reactor().flush_from_signal();
    std::thread([&] { CHECK(rescue_once(loop.reactor()) == 1); }).join();
    CHECK(waiter.wakes == 1);
    CHECK(operation.result == 0);
  }
  std::fclose(file);
}

TEST_CASE("a signal lets a rescuer collect the events of a busy owner") {
  Loop loop;
  const FlushOnSignal owner(loop.reactor());
  Pair pair = test::unix_pair();
  Watched& source = loop.watch_quiet(std::move(pair.near));
  for (int round = 0; round != 50; ++round) {
    REQUIRE(source.start_wait(Direction::read, source.reader));
    base::Atomic<bool> rescued{false};
    std::thread rescuer([&] {
      CHECK(test::send_all(pair.far.get(), "x"));
      CHECK(test::eventually([&] {
        if (loop.reactor().needs_interrupt()) owner.interrupt();
        return rescue_once(loop.reactor()) == 1;
      }));
      rescued.store(true);
    });
    while (!rescued.load()) test::burn(50us);  // the owner never enters the reactor
    rescuer.join();
    REQUIRE(drain(source.fd()) == 1);
  }
  loop.unwatch(source);
}

TEST_CASE("a poll that is staged when its owner gets busy is submitted by the signal") {
  Loop loop;
  const FlushOnSignal owner(loop.reactor());
  for (int round = 0; round != 50; ++round) {
    Pair pair = test::unix_pair();
    send_byte(pair.far);
    Watched& source = loop.watch(std::move(pair.near));  // and the owner does not enter the reactor after that
    REQUIRE(source.start_wait(Direction::read, source.reader));
    base::Atomic<bool> rescued{false};
    std::thread rescuer([&] {
      CHECK(test::eventually([&] {
        if (loop.reactor().needs_interrupt()) owner.interrupt();
        return rescue_once(loop.reactor()) == 1;
      }));
      rescued.store(true);
    });
    while (!rescued.load()) test::burn(50us);
    rescuer.join();
    loop.unwatch(source);
  }
}

TEST_CASE("an owner that polls and a thread that rescues share the events between them") {
  RingOptions ring = default_ring;
  ring.completion_entries = 0;  // the usual queue: a poll that is armed again may report an edge twice
  Loop loop(ring);
  constexpr int kSources = 64;
  std::vector<Pair> pairs;
  std::vector<Watched*> sources;
  for (int i = 0; i != kSources; ++i) {
    pairs.push_back(test::unix_pair());
    sources.push_back(&loop.watch_quiet(std::move(pairs.back().near)));
  }
  base::Atomic<int> woken{0};
  base::Atomic<bool> over{false};
  std::thread rescuer([&] {
    while (!over.load()) {
      base::Chain<Completion> chain;
      loop.reactor().rescue(chain, [] { return true; });
      woken.fetch_add(static_cast<int>(chain.size()));
      std::this_thread::yield();
    }
  });
  const auto rounds = static_cast<int>(test::stress_rounds(2'000));
  for (int round = 1; round <= rounds; ++round) {
    for (Watched* source : sources) REQUIRE(source->start_wait(Direction::read, source->reader));
    for (const Pair& pair : pairs) send_byte(pair.far);
    // A source appears and leaves in each round: it must not be freed while the other thread uses it.
    Pair passing = test::unix_pair();
    Watched& short_lived = loop.watch(std::move(passing.near));
    send_byte(passing.far);
    loop.reactor().flush_from_signal();
    if (round % 2 == 0) loop.unwatch(short_lived);
    const int expected = round * kSources;
    CHECK(test::eventually([&] {
      base::Chain<Completion> chain;
      loop.reactor().poll(chain);
      return woken.fetch_add(static_cast<int>(chain.size())) + static_cast<int>(chain.size()) >= expected;
    }));
    REQUIRE(woken.load() == expected);
    if (round % 2 != 0) loop.unwatch(short_lived);
    for (Watched* source : sources) REQUIRE(drain(source->fd()) == 1);
  }
  over.store(true);
  rescuer.join();
  for (Watched* source : sources) loop.unwatch(*source);
}

TEST_SUITE_END();

}  // namespace volt::io
