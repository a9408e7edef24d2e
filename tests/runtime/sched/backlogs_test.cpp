// SPDX-License-Identifier: MIT

#include "runtime/sched/backlogs.h"

#include <doctest/doctest.h>

#include <cstdint>

namespace volt::sched {

TEST_SUITE_BEGIN("runtime/sched/backlogs");

TEST_CASE("each worker has a bit of its own") {
  for (const std::uint32_t workers : {1U, 63U, 64U, 65U, 512U, 513U, 1024U}) {
    CAPTURE(workers);
    Backlogs backlogs(workers);
    CHECK_FALSE(backlogs.any());
    for (const std::uint32_t shown : {0U, workers / 2, workers - 1}) {
      backlogs.show(shown);
      CHECK(backlogs.any());
      std::uint32_t seen = 0;
      for (std::uint32_t i = 0; i != workers; ++i) seen += backlogs.has(i) ? 1 : 0;
      CHECK(seen == 1);
      CHECK(backlogs.has(shown));
      backlogs.hide(shown);
      CHECK_FALSE(backlogs.any());
    }
  }
}

TEST_CASE("a worker that hides its backlog leaves those of its neighbors") {
  Backlogs backlogs(3);
  for (std::uint32_t i = 0; i != 3; ++i) backlogs.show(i);
  backlogs.hide(1);
  CHECK(backlogs.has(0));
  CHECK_FALSE(backlogs.has(1));
  CHECK(backlogs.has(2));
}

TEST_SUITE_END();

}  // namespace volt::sched
