// SPDX-License-Identifier: MIT

#include "redis/options.h"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace volt::redis {

PoolOptions options_from_environment() {
  PoolOptions options;
  if (const char* url = std::getenv("REDIS_URL")) options.url = url;
  if (const char* set = std::getenv("REDIS_MAX_CONN")) {
    const std::string_view text = set;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), options.connections_max);
    if (error != std::errc{} || end != text.data() + text.size() || options.connections_max == 0 ||
        options.connections_max > 10'000) {
      throw std::invalid_argument("REDIS_MAX_CONN must be a number from 1 to 10000");
    }
  }
  return options;
}

}  // namespace volt::redis
