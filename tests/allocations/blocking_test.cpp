// SPDX-License-Identifier: MIT

// The blocking pool when allocations fail: whichever allocation fails, the callable runs or the wait throws, and the
// next callable runs.
#include <doctest/doctest.h>

#include <new>
#include <stdexcept>
#include <system_error>

#include "runtime/blocking.h"
#include "runtime/concurrent.h"
#include "runtime/runtime.h"
#include "tests/allocations/failing.h"
#include "tests/support/engine.h"

namespace volt {
namespace {

using test::Counted;
using test::FailingAllocation;

struct Counts {
  int ran = 0;
  int refused = 0;
};

Task<> one_more(Counts& counts) {
  try {
    const auto work = [] { return 1; };
    const int done = co_await blocking(work);
    counts.ran += done;
  } catch (const std::bad_alloc&) {  // decided: the test expects this error and the next one
    ++counts.refused;
  } catch (const std::system_error&) {
    ++counts.refused;
  }
}

// Runs three callables at once, so that the pool starts threads; then one that throws.
Task<> use_pool(Counts& counts) {
  const auto one = [&] { return one_more(counts); };
  try {
    co_await all(one, one, one);
  } catch (const std::bad_alloc&) {  // decided: all children that were started have ended
    ++counts.refused;
  }
  const auto fail = [] { throw std::runtime_error("why"); };
  try {
    co_await blocking(fail);
  } catch (const std::bad_alloc&) {  // decided: as above
    ++counts.refused;
  } catch (const std::system_error&) {
    ++counts.refused;
  } catch (const std::runtime_error&) {
    ++counts.ran;
  }
}

}  // namespace

TEST_SUITE_BEGIN("allocations/blocking");

TEST_CASE("if an allocation of the blocking pool fails, the callable runs on another thread or its wait throws") {
  for (std::uint64_t number = 1;; ++number) {
    CAPTURE(number);
    REQUIRE(number < 10'000);
    Runtime runtime(test_options(1));
    Counts counts;
    bool met = false;
    {
      const FailingAllocation failing(Counted::other_threads, number);
      runtime.block_on(use_pool, counts);
      met = failing.met();
    }
    CHECK(counts.ran + counts.refused >= (met ? 1 : 4));
    if (!met) CHECK(counts.refused == 0);
    Counts later;
    runtime.block_on(use_pool, later);
    CHECK(later.ran == 4);
    if (!met) break;
  }
}

TEST_SUITE_END();

}  // namespace volt
