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

TEST_CASE("a stall is the time waited since the last byte moved, in one wait or in several") {
  using namespace std::chrono_literals;
  RuntimeOptions runtime_options = test_options(1);
  runtime_options.manual_clock = true;
  Runtime runtime(runtime_options);
  for (const std::size_t rate : {0, 1}) {
    CAPTURE(rate);
    const ServerOptions options{.stall_timeout = 10s, .rate_bytes_per_second_min = rate, .rate_grace = 5s};
    TransferTimeout transfer_timeout(options);
    const auto in_task = [&](auto function) {
      return runtime.block_on([&]() -> Task<std::chrono::seconds> {
        function();
        co_return std::chrono::round<std::chrono::seconds>(transfer_timeout.left());  // the clock moves by whole ticks
      });
    };
    const auto wait = [&](std::chrono::nanoseconds duration) {
      in_task([&] { transfer_timeout.resume(); });
      runtime.advance_clock(duration);
      return in_task([&] { transfer_timeout.pause(); });
    };
    in_task([&] {
      transfer_timeout.begin();
      transfer_timeout.add_moved(1'000);
      transfer_timeout.pause();
    });
    CHECK(wait(4s) == 6s);
    runtime.advance_clock(1min);  // paused
    CHECK(wait(4s) == 2s);
    CHECK(in_task([&] { transfer_timeout.add_moved(0); }) == 2s);
    CHECK(in_task([&] { transfer_timeout.add_moved(1); }) == 10s);
    CHECK(wait(11s) == 0s);
  }
}

TEST_SUITE_END();
}  // namespace volt::http::server
