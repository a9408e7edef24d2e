// SPDX-License-Identifier: MIT

#include "tests/support/engine.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "runtime/base/check.h"

namespace volt {
namespace {

// Reads VOLT_TEST_RING, a list of "eventfd" and "cq=ENTRIES" separated by commas.
io::RingOptions ring_options() {
  io::RingOptions options;
  const char* text = std::getenv("VOLT_TEST_RING");
  std::string_view rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word == "eventfd") {
      options.wake_by_eventfd = true;
      continue;
    }
    VOLT_CHECK(word.starts_with("cq="));
    const char* const end = word.data() + word.size();
    const auto [parsed_to, error] = std::from_chars(word.data() + 3, end, options.completion_entries);
    VOLT_CHECK(parsed_to == end && error == std::errc());
  }
  return options;
}

// Before main, so that every reactor of the program has these options.
[[maybe_unused]] const bool ring_is_set = [] {
  io::default_ring = ring_options();
  return true;
}();

}  // namespace

io::Engine test_engine() {
  const char* text = std::getenv("VOLT_TEST_IO");
  const std::string_view engine = text == nullptr ? "uring" : text;
  VOLT_CHECK(engine == "uring" || engine == "epoll");
  return engine == "uring" ? io::Engine::uring : io::Engine::epoll;
}

RuntimeOptions test_options(std::uint32_t workers) {
  return {.workers = workers,
          .io = test_engine() == io::Engine::uring ? IoEngine::uring : IoEngine::epoll,
          .spare_workers_max = 0};
}

}  // namespace volt
