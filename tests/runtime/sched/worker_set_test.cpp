// SPDX-License-Identifier: MIT

#include "runtime/sched/worker_set.h"

#include <doctest/doctest.h>

#include <cstdint>

namespace volt::sched {

TEST_SUITE_BEGIN("runtime/sched/worker_set");

TEST_CASE("each worker has a bit of its own") {
  for (const std::uint32_t workers : {1U, 63U, 64U, 65U, 512U, 513U, 1280U}) {
    CAPTURE(workers);
    WorkerSet set(workers);
    CHECK(set.empty());
    for (const std::uint32_t added : {0U, workers / 2, workers - 1}) {
      set.add(added);
      set.add(added);
      CHECK_FALSE(set.empty());
      std::uint32_t found = 0;
      for (std::uint32_t i = 0; i != workers; ++i) found += set.contains(i) ? 1 : 0;
      CHECK(found == 1);
      CHECK(set.contains(added));
      set.remove(added);
      CHECK(set.empty());
    }
  }
}

TEST_CASE("a worker that is removed leaves its neighbors in the set") {
  WorkerSet set(3);
  for (std::uint32_t i = 0; i != 3; ++i) set.add(i);
  set.remove(1);
  CHECK(set.contains(0));
  CHECK_FALSE(set.contains(1));
  CHECK(set.contains(2));
}

TEST_SUITE_END();

}  // namespace volt::sched
