// SPDX-License-Identifier: MIT

#include "config/read/internal/nearest.h"

#include <doctest/doctest.h>

#include <vector>

namespace volt::config {

TEST_SUITE_BEGIN("config/read/internal/nearest");

TEST_CASE("the nearest name has the fewest edits, up to a third of the length") {
  const std::vector<std::string> known{"server.idle_timeout", "server.head_timeout", "drain.grace", "listen"};
  const struct {
    std::string why;
    std::string name;
    std::optional<std::string> want;
  } cases[] = {
      {"a letter is missing", "server.idle_timout", "server.idle_timeout"},
      {"two letters are swapped", "lisetn", "listen"},
      {"one letter too many", "drain.gracee", "drain.grace"},
      {"another separator", "server.idle-timeout", "server.idle_timeout"},
      {"the nearer of two", "server.heap_timeout", "server.head_timeout"},
      {"no similar name", "colour", std::nullopt},
      {"an empty name", "", std::nullopt},
      {"a name that is too long", std::string(129, 'l'), std::nullopt},
  };
  for (const auto& [why, name, want] : cases) {
    CAPTURE(why);
    CHECK(nearest(name, known) == want);
  }
  CHECK(suggestion("lisetn", known) == "; did you mean listen?");
  CHECK(suggestion("colour", known) == "");
  CHECK(nearest("listen", {}) == std::nullopt);
}

TEST_SUITE_END();
}  // namespace volt::config
