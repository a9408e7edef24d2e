// SPDX-License-Identifier: MIT

#include "runtime/sync/ring.h"

#include <doctest/doctest.h>

#include <deque>
#include <memory>

namespace volt::sync {

TEST_SUITE_BEGIN("runtime/sync/ring");

TEST_CASE("a ring is a bounded queue, however often its positions wrap around") {
  for (const std::size_t capacity : {1U, 2U, 3U, 7U}) {
    CAPTURE(capacity);
    Ring<std::unique_ptr<int>> ring(capacity);
    std::deque<int> model;
    int next = 0;
    for (int step = 0; step != 200; ++step) {
      const bool fill = step % 11 < 6;
      if (fill && !ring.full()) {
        ring.push_back(std::make_unique<int>(next));
        model.push_back(next++);
      } else if (!fill && !ring.empty()) {
        REQUIRE(*ring.pop_front() == model.front());
        model.pop_front();
      }
      REQUIRE(ring.size() == model.size());
      REQUIRE(ring.full() == (model.size() == capacity));
      REQUIRE(ring.empty() == model.empty());
    }
  }
}

TEST_CASE("values left in a ring are destroyed with it") {
  const auto shared = std::make_shared<int>(1);
  {
    Ring<std::shared_ptr<int>> ring(3);
    for (int i = 0; i != 3; ++i) ring.push_back(std::shared_ptr<int>(shared));
    static_cast<void>(ring.pop_front());
    CHECK(shared.use_count() == 3);
  }
  CHECK(shared.use_count() == 1);
}

TEST_SUITE_END();

}  // namespace volt::sync
