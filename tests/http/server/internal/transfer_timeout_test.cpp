// SPDX-License-Identifier: MIT

#include "http/server/internal/transfer_timeout.h"

#include <doctest/doctest.h>

#include "runtime/runtime.h"
#include "tests/support/engine.h"

namespace volt::http::server {
TEST_SUITE_BEGIN("http/server/internal/transfer_timeout");

TEST_CASE("bytes that move extend the time at the minimum rate, however many there are") {
  using namespace std::chrono_literals;
  const struct {
    std::string_view why;
    std::size_t rate, moved;
    std::chrono::nanoseconds want;
  } cases[] = {
      {"nothing yet: the grace", 100, 0, 5s},
      {"a little more", 100, 1000, 15s},
      {"never longer than a stall", 100, 1'000'000, 30s},
      {"many gigabytes at the lowest rate", 1, 10'000'000'000, 30s},
      {"a rate that was turned off", 0, 10'000'000'000, 30s},
      {"a rate that was turned off, before the first byte", 0, 0, 30s},
      {"all that can be counted", 1, SIZE_MAX, 30s},
  };
  RuntimeOptions runtime_options = test_options(1);
  runtime_options.manual_clock = true;
  Runtime runtime(runtime_options);
  for (const auto& [why, rate, moved, want] : cases) {
    CAPTURE(why);
    const ServerOptions options{.stall_timeout = 30s, .rate_bytes_per_second_min = rate, .rate_grace = 5s};
    const auto look = [&]() -> Task<std::chrono::nanoseconds> {
      TransferTimeout transfer_timeout(options);
      transfer_timeout.begin();
      transfer_timeout.add_moved(moved);
      co_return transfer_timeout.left();
    };
    CHECK(runtime.block_on(look) == want);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::server
