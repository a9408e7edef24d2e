// SPDX-License-Identifier: MIT

#include "tracing/internal/id_source.h"

#include <doctest/doctest.h>

#include <set>

namespace volt::tracing::internal {

TEST_SUITE_BEGIN("tracing/internal/id_source");

TEST_CASE("ids differ, within a source and between two") {
  IdSource first;
  IdSource second;
  std::set<TraceId> traces;
  std::set<SpanId> spans;
  for (int i = 0; i != 1000; ++i) {
    for (IdSource* source : {&first, &second}) {
      traces.insert(source->next_trace_id());
      spans.insert(source->next_span_id());
    }
  }
  CHECK(traces.size() == 2000);
  CHECK(spans.size() == 2000);
  CHECK_FALSE(traces.contains(TraceId{}));
  CHECK_FALSE(spans.contains(SpanId{}));
}

TEST_CASE("each bit of an id is set in about half of them") {
  IdSource source;
  constexpr int kIds = 4000;
  std::array<int, 128> ones{};
  for (int i = 0; i != kIds; ++i) {
    const TraceId id = source.next_trace_id();
    for (std::size_t bit = 0; bit != ones.size(); ++bit) {
      ones[bit] += static_cast<int>(std::to_integer<unsigned>(id[bit / 8]) >> bit % 8 & 1U);
    }
  }
  for (const int count : ones) {
    CHECK(count > kIds * 2 / 5);  // 12 standard deviations from the mean
    CHECK(count < kIds * 3 / 5);
  }
}

TEST_SUITE_END();

}  // namespace volt::tracing::internal
