// SPDX-License-Identifier: MIT

// Tests of the parts of the benchmarks' pages; the service itself is tested over a database
// (tests/e2e/techempower_test.py).
#include <doctest/doctest.h>

#include <string>

#include "apps/techempower/cache.h"
#include "apps/techempower/count.h"
#include "apps/techempower/fortunes.h"
#include "apps/techempower/random.h"

namespace techempower {

TEST_SUITE_BEGIN("apps/techempower");

TEST_CASE("a count is 1 to 500, whatever was asked for") {
  struct Case {
    std::optional<std::string> text;
    int count;
  };
  const Case cases[] = {{{}, 1},
                        {"", 1},
                        {"foo", 1},
                        {"0", 1},
                        {"-1", 1},
                        {"1", 1},
                        {"2x", 1},
                        {"+2", 1},
                        {"499", 499},
                        {"500", 500},
                        {"501", 500},
                        {"007", 7},
                        {"99999999999999999999999999", 500}};
  for (const auto& [text, count] : cases) {
    CAPTURE(text.value_or("none"));
    CHECK(clamped_count(text) == count);
  }
}

TEST_CASE("a full cache gives up what was used longest ago") {
  Cache<int, int> cache(32);  // two in each of its parts; those of 0, 16, 32 share one
  cache.put(0, 1);
  cache.put(16, 2);
  CHECK(cache.find(0) == 1);
  cache.put(32, 3);
  CHECK(cache.find(16) == std::nullopt);
  CHECK(cache.find(0) == 1);
  CHECK(cache.find(32) == 3);
  cache.put(0, 4);
  CHECK(cache.find(0) == 4);
  CHECK(cache.find(32) == 3);
}

TEST_CASE("random ids are different, and of all worlds") {
  Random random;
  const std::vector<int> ids = random.ids(500);
  CHECK(ids.size() == 500);
  CHECK(std::ranges::all_of(ids, [](int id) { return id >= 1 && id <= 10'000; }));
  std::unordered_set<int> seen;
  for (int round = 0; round != 1'000'000; ++round) seen.insert(random.number());
  CHECK(seen.size() == 10'000);  // each is missed with a probability of e^-100
}

TEST_CASE("a page is sorted by message and escaped") {
  const std::string page = fortunes_page({{2, "<b>&\"'"}, {1, "é"}});
  const std::string rows =
      "<tr><td>2</td><td>&lt;b&gt;&amp;&quot;&#39;</td></tr>"
      "<tr><td>0</td><td>Additional fortune added at request time.</td></tr>"
      "<tr><td>1</td><td>é</td></tr></table>";
  CHECK(page.find(rows) != std::string::npos);
}

TEST_SUITE_END();

}  // namespace techempower
