// SPDX-License-Identifier: MIT

#include "runtime/signals.h"

#include <doctest/doctest.h>
#include <pthread.h>
#include <unistd.h>

#include <ostream>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/runtime.h"
#include "tests/support/engine.h"
#include "tests/support/sockets.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

bool blocked(int number) {
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return ::sigismember(&mask, number) == 1;
}

// Receives `count` signals, in order of arrival.
Task<std::vector<int>> take(Borrowed<Signals> signals, std::size_t count) {
  std::vector<int> taken;
  while (taken.size() != count) {
    const int number = co_await signals.get().next();
    taken.push_back(number);
  }
  co_return taken;
}

}  // namespace

TEST_SUITE_BEGIN("runtime/signals");

TEST_CASE("signals are received one after the other, and have no other effect") {
  Signals signals({SIGUSR1, SIGUSR2});
  Runtime runtime(test_options());
  CHECK_FALSE(signals.try_next());
  ::kill(::getpid(), SIGUSR2);  // before a task waits
  CHECK(runtime.block_on(take, borrow(signals), 1U) == std::vector<int>{SIGUSR2});

  for (int round = 0; round != 20; ++round) {
    JoinHandle<std::vector<int>> taking = runtime.spawn(take, borrow(signals), 1U);
    ::kill(::getpid(), SIGUSR1);
    REQUIRE(test::eventually([&] { return taking.done(); }));
    CHECK(taking.task().take() == std::vector<int>{SIGUSR1});
  }
  CHECK_FALSE(signals.try_next());
}

TEST_CASE("a cancelled wait for a signal takes no signal and leaks no descriptor") {
  Signals signals({SIGUSR1});
  Runtime runtime(test_options());
  const std::size_t before = test::open_descriptors();
  JoinHandle<std::vector<int>> taking = runtime.spawn(take, borrow(signals), 1U);
  CHECK(test::eventually([&] { return test::open_descriptors() > before; }));
  taking.cancel();
  CHECK(runtime.block_on(test::outcome_of<std::vector<int>>, std::move(taking)) == test::Outcome::cancelled);
  CHECK(test::eventually([&] { return test::open_descriptors() <= before; }));
  ::kill(::getpid(), SIGUSR1);
  CHECK(signals.try_next() == SIGUSR1);
}

TEST_CASE("the destructor of Signals restores the thread's mask") {
  CHECK_FALSE(blocked(SIGUSR1));
  {
    const Signals signals({SIGUSR1});
    CHECK(blocked(SIGUSR1));
    CHECK(::sigismember(&signals.mask_before(), SIGUSR1) == 0);
  }
  CHECK_FALSE(blocked(SIGUSR1));
}

}  // namespace volt
