// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/borrowed.h"
#include "runtime/concurrent.h"
#include "runtime/runtime.h"
#include "runtime/sched/random.h"
#include "runtime/scope.h"
#include "runtime/time.h"
#include "tests/support/engine.h"
#include "tests/support/lifetimes.h"
#include "tests/support/sanitizers.h"
#include "tests/support/waiting.h"

namespace volt {
namespace {

using test::Lifetimes;
using test::Outcome;
using test::stress_rounds;
using namespace std::chrono_literals;
using LifetimesRef = Borrowed<Lifetimes>;

constexpr std::uint32_t kDelayNsMax = 150'000;

Task<> run_scopes(LifetimesRef lifetimes, std::uint64_t seed, int depth);

std::chrono::nanoseconds delay(sched::Random& random) { return std::chrono::nanoseconds(random.below(kDelayNsMax)); }

Task<> fail_after(LifetimesRef lifetimes, std::chrono::nanoseconds duration) {
  const auto token = lifetimes.get().token();
  if (duration != 0ns) co_await sleep_for(duration);
  throw std::runtime_error("child");
}

Task<> hold_for(LifetimesRef lifetimes, std::chrono::nanoseconds duration) {
  const auto token = lifetimes.get().token();
  co_await sleep_for(duration);
}

// The body of a scope in which a child fails for certain if `doomed`; it may then wait forever.
Task<> wait_in_body(LifetimesRef lifetimes, sched::Random& random, int depth, bool doomed) {
  switch (random.below(8)) {
    case 0:
      co_return;
    case 1:
      co_await sleep_for(doomed ? 1h : delay(random));
      co_return;
    case 2:
      if (depth != 0) co_await run_scopes(lifetimes, random.next(), depth - 1);
      co_return;
    case 3:
      co_await shield([&] { return hold_for(lifetimes, delay(random)); });
      co_return;
    case 4:
      co_await all([&] { return hold_for(lifetimes, doomed ? 1h : delay(random)); },
                   [&] { return hold_for(lifetimes, delay(random)); });
      co_return;
    case 5: {
      const std::uint64_t seed = random.next();
      const std::chrono::nanoseconds fails_after = random.below(2) == 0 ? 0ns : delay(random);
      const auto nested = [&] { return run_scopes(lifetimes, seed, depth - 1); };
      const auto held = [&] { return hold_for(lifetimes, std::chrono::nanoseconds(seed % kDelayNsMax)); };
      const auto failing = [&] { return fail_after(lifetimes, fails_after); };
      co_await all([&] { return depth != 0 ? nested() : held(); }, failing, held);
      co_return;
    }
    case 6:
      for (std::uint32_t left = random.below(8); doomed || left != 0; --left) co_await yield();
      co_return;
    default:
      co_await sleep_for(delay(random));
      throw std::runtime_error("body");
  }
}

// Runs a scope with children that may fail and with scopes inside its body and its children. Throws only if the task is
// cancelled from outside, or a scope around this one has failed; nothing that fails in here leaves the task cancelled.
Task<> run_scopes(LifetimesRef lifetimes, std::uint64_t seed, int depth) {
  const auto token = lifetimes.get().token();
  sched::Random random(seed);
  const auto body = [&](Scope& scope) -> Task<> {
    bool doomed = false;
    for (std::uint32_t left = random.below(4); left != 0; --left) {
      const std::uint32_t kind = random.below(4);
      doomed = doomed || kind < 2;
      if (kind == 0) scope.spawn(fail_after, lifetimes, 0ns);
      if (kind == 1) scope.spawn(fail_after, lifetimes, delay(random));
      if (kind == 2) scope.spawn(hold_for, lifetimes, delay(random));
      if (kind == 3 && depth != 0) scope.spawn(run_scopes, lifetimes, random.next(), depth - 1);
    }
    if (random.below(8) == 0 && !doomed) scope.cancel();
    co_await wait_in_body(lifetimes, random, depth, doomed);
  };
  try {
    co_await with_scope(body);
  } catch (const std::runtime_error&) {  // decided: one of the failures above
  }
  co_await yield();
  co_await sleep_for(delay(random) / 8);
}

constexpr std::chrono::seconds kLimit{10};  // beside busy processes, each round may wait for a processor

// Runs up to `rounds` tasks. Returns the number of those that ended otherwise than they must.
std::uint64_t run_rounds(Runtime& runtime, Lifetimes& lifetimes, std::uint64_t seed, std::uint64_t rounds) {
  sched::Random random(seed);
  std::uint64_t wrong = 0;
  for (test::TimedRounds timed(rounds, kLimit); timed.next();) {
    auto task = runtime.spawn(run_scopes, borrow(lifetimes), seed << 32 | timed.begun(), 2);
    const bool cancels = random.below(3) == 0;
    if (cancels) {
      test::burn(std::chrono::nanoseconds(random.below(kDelayNsMax)));
      task.cancel();
    }
    const Outcome outcome = runtime.block_on(test::outcome_of<void>, std::move(task));
    if (outcome == Outcome::threw || (outcome == Outcome::cancelled && !cancels)) ++wrong;
  }
  return wrong;
}

}  // namespace

TEST_SUITE_BEGIN("stress/scope_stress");

TEST_CASE("whatever fails in nested scopes, each ends, and no task is cancelled but by its handle") {
  for (const std::uint32_t workers : {1u, 2u, 4u}) {
    CAPTURE(workers);
    Lifetimes lifetimes;
    base::Atomic<std::uint64_t> wrong{0};
    {
      Runtime runtime(test_options(workers));
      std::vector<std::thread> threads;
      for (std::uint64_t i = 0; i != 4; ++i) {
        threads.emplace_back([&, i] {
          const std::uint64_t found = run_rounds(runtime, lifetimes, i * 100 + workers, stress_rounds(8'000));
          wrong.fetch_add(found, base::relaxed);  // relaxed: read when all are done
        });
      }
      for (auto& thread : threads) thread.join();
      CHECK(test::eventually([&] { return runtime.metrics().live_tasks == 0; }));
      CHECK(runtime.metrics().detached_failures == 0);
    }
    CHECK(wrong.load(base::relaxed) == 0);  // relaxed: all tasks are done
    MESSAGE(lifetimes.made() << " frames on " << workers << " workers");
    CHECK(lifetimes.made() == lifetimes.ended());
  }
}

TEST_SUITE_END();

}  // namespace volt
