// SPDX-License-Identifier: MIT

#include "http/server/internal/client_counts.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "runtime/base/atomic.h"

namespace volt::http::server {
namespace {

message::IpAddress ip(const std::string& text) { return message::IpAddress::parse(text).value(); }

}  // namespace

TEST_SUITE_BEGIN("http/server/internal/client_counts");

TEST_CASE("addresses that count as one client") {
  const struct {
    std::string why;
    std::string first;
    std::string second;
    bool same;
  } cases[] = {
      {"an address", "192.0.2.1", "192.0.2.1", true},
      {"another of IPv4", "192.0.2.1", "192.0.2.2", false},
      {"the same as IPv6 has it", "192.0.2.1", "::ffff:192.0.2.1", true},
      {"RFC 6177: one site of IPv6", "2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true},
      {"another site", "2001:db8:1:2::1", "2001:db8:1:3::1", false},
      {"IPv4 is no site of IPv6", "::ffff:192.0.2.1", "::1", false},
  };
  for (const auto& [why, first, second, same] : cases) {
    CAPTURE(why);
    ClientCounts counts(1);
    CHECK(counts.try_add(ip(first)));
    CHECK(counts.try_add(ip(second)).has_value() == !same);
  }
}

TEST_CASE("a client at its maximum may connect again when a connection is closed") {
  ClientCounts counts(2);
  const auto first = counts.try_add(ip("192.0.2.1"));
  const auto second = counts.try_add(ip("192.0.2.1"));
  REQUIRE(first);
  REQUIRE(second);
  CHECK_FALSE(counts.try_add(ip("192.0.2.1")));
  CHECK_FALSE(counts.try_add(ip("192.0.2.1")));  // a refused connection does not count
  counts.remove(*first);
  CHECK(counts.try_add(ip("192.0.2.1")));
  CHECK_FALSE(counts.try_add(ip("192.0.2.1")));
}

TEST_CASE("concurrent adds and removes never exceed the maximum, and leave no entry") {
  constexpr std::size_t kMax = 3;
  ClientCounts counts(kMax);
  base::Atomic<std::size_t> inside{0};
  base::Atomic<bool> passed{false};
  std::vector<std::jthread> threads;
  for (int i = 0; i != 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round != 2000; ++round) {
        const auto client = counts.try_add(ip("192.0.2.1"));
        if (!client) continue;
        if (inside.fetch_add(1) >= kMax) passed = true;
        inside.fetch_sub(1);
        counts.remove(*client);
      }
    });
  }
  threads.clear();
  CHECK_FALSE(passed);
  for (std::size_t i = 0; i != kMax; ++i) CHECK(counts.try_add(ip("192.0.2.1")));
  CHECK_FALSE(counts.try_add(ip("192.0.2.1")));
}

TEST_SUITE_END();
}  // namespace volt::http::server
