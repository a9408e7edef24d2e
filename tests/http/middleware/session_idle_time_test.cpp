// SPDX-License-Identifier: MIT

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>

#include "http/cookies/memory_sessions.h"
#include "http/middleware/session.h"

namespace volt::http {

using namespace std::chrono_literals;

TEST_SUITE_BEGIN("http/session_idle_time");

TEST_CASE("a store with another idle time than that of the cookie is refused, with both times") {
  SessionOptions options;
  options.keys = CookieKeys::random();
  options.idle_time = 2h;
  options.store = std::make_shared<MemorySessions>(MemorySessionsOptions{.idle_time = 1h});
  CHECK_THROWS_WITH_AS(static_cast<void>(sessions(options)),
                       "SessionOptions::idle_time is 7200 s, but the store ends sessions after 3600 s "
                       "(StoreOptions::idle_time): set both to one value",
                       std::invalid_argument);
  options.idle_time = 1h;
  CHECK_NOTHROW(static_cast<void>(sessions(options)));
}

TEST_SUITE_END();

}  // namespace volt::http
