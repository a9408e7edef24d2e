// SPDX-License-Identifier: MIT

// A readiness check when allocations fail: whichever fails, the check ends and can be run again.
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

#include "http/server/readiness_checks.h"
#include "runtime/runtime.h"
#include "runtime/time.h"
#include "tests/allocations/failing.h"
#include "tests/support/engine.h"

namespace volt::http::server {
namespace {

using volt::test::Counted;
using volt::test::FailingAllocation;

Task<bool> not_yet() {
  co_await yield();
  co_return false;
}

}  // namespace

TEST_SUITE_BEGIN("allocations/readiness");

TEST_CASE("if an allocation of a readiness check fails, the check has a result the next time") {
  bool met = true;
  for (std::uint64_t number = 1; met; ++number) {
    CAPTURE(number);
    REQUIRE(number < 10'000);
    Runtime runtime(test_options(1));
    const ReadyOptions options{.timeout = std::chrono::seconds(60), .cache = std::chrono::seconds(0)};
    const ReadinessChecks checks = {std::make_shared<ReadinessCheck>("database", not_yet, options)};
    const auto run = [&] { return failing_checks(checks, runtime); };
    {
      const FailingAllocation failing(Counted::other_threads, number);
      try {
        static_cast<void>(runtime.block_on(run));
      } catch (const std::bad_alloc&) {     // decided: the question gets no answer this time
      } catch (const std::system_error&) {  // decided: likewise, because no thread could be started
      }
      met = failing.met();
    }
    const std::vector<ReadinessFailure> failures = runtime.block_on(run);
    REQUIRE(failures.size() == 1);
    CHECK(failures.front().reason == "the check returned false");
  }
}

TEST_SUITE_END();

}  // namespace volt::http::server
