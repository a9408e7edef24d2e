// SPDX-License-Identifier: MIT

#include "http/middleware/internal/learned_keys.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "runtime/runtime.h"
#include "tests/support/engine.h"

namespace volt::http::middleware {

using namespace std::chrono_literals;

TEST_SUITE_BEGIN("http/middleware/internal/learned_keys");

TEST_CASE("a URI that is passed through or varies is known, others are not") {
  Runtime runtime(test_options(1));
  runtime.block_on([]() -> Task<> {
    LearnedKeys keys;
    keys.pass("/a", 10s);
    CHECK(keys.of("/a").pass_until.has_value());
    CHECK(keys.vary_on("/b", {"accept"}) == std::vector<std::string>{"accept"});
    CHECK(keys.vary_on("/b", {"origin"}) == std::vector<std::string>{"accept", "origin"});
    CHECK(keys.of("/b").vary_names.size() == 2);
    CHECK(keys.vary_on("/c", {}).empty());
    CHECK(!keys.of("/c").pass_until.has_value());
    co_return;
  });
}

TEST_CASE("long URIs that clients make up take a bounded amount of memory") {
  Runtime runtime(test_options(1));
  runtime.block_on([]() -> Task<> {
    LearnedKeys keys;
    for (int i = 0; i != 10'000; ++i) keys.pass("/?" + std::string(8'000, 'x') + std::to_string(i), 10s);
    CHECK(keys.bytes() <= LearnedKeys::kBytesMax);
    CHECK(keys.of("/?" + std::string(8'000, 'x') + "9999").pass_until.has_value());
    keys.pass(std::string(2 * LearnedKeys::kBytesMax, 'x'), 10s);
    CHECK(keys.bytes() <= LearnedKeys::kBytesMax);
    co_return;
  });
}

}  // namespace volt::http::middleware
