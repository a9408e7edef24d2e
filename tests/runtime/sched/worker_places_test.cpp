// SPDX-License-Identifier: MIT

#include "runtime/sched/worker_places.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/directory.h"

namespace volt::sched {
namespace {

// A cache of a processor as the kernel describes it: its level, and the processors that share it.
struct Cache {
  int level;
  std::string shared;
};

class Processors {
 public:
  void add(std::uint32_t processor, const std::vector<Cache>& caches) {
    ids_.push_back(processor);
    for (std::size_t i = 0; i != caches.size(); ++i) {
      const std::filesystem::path cache =
          directory_.path() / ("cpu" + std::to_string(processor)) / "cache" / ("index" + std::to_string(i));
      std::filesystem::create_directories(cache);
      std::ofstream(cache / "level") << caches[i].level << '\n';
      std::ofstream(cache / "shared_cpu_list") << caches[i].shared << '\n';
    }
  }
  [[nodiscard]] WorkerPlaces places(std::uint32_t workers) const {
    return WorkerPlaces(workers, ids_, directory_.path().string());
  }

 private:
  test::Directory directory_;
  std::vector<std::uint32_t> ids_;
};

}  // namespace

TEST_SUITE_BEGIN("runtime/sched/worker_places");

TEST_CASE("workers are near each other if their processors share the last-level cache") {
  Processors processors;
  for (std::uint32_t i = 0; i != 8; ++i) {
    const std::string threads = std::to_string(i % 4) + "," + std::to_string(i % 4 + 4);
    const std::string group = i % 4 < 2 ? "0-1,4-5" : "2-3,6-7";
    processors.add(i, {{1, threads}, {1, threads}, {2, threads}, {3, group}});
  }
  WorkerPlaces places = processors.places(3);
  REQUIRE(places.several());
  places.note(0, 0);
  places.note(1, 2);
  for (const int near : {0, 1, 4, 5}) {
    places.note(2, near);
    CHECK(places.of(2) == places.of(0));
    CHECK(places.of(2) != places.of(1));
  }
  for (const int far : {2, 3, 6, 7}) {
    places.note(2, far);
    CHECK(places.of(2) != places.of(0));
    CHECK(places.of(2) == places.of(1));
  }
  for (const int unknown : {-1, 8, 100'000}) {
    CAPTURE(unknown);
    places.note(2, unknown);
    CHECK(places.of(2) != places.of(0));
    CHECK(places.of(2) != places.of(1));
  }
}

TEST_CASE("a process that may use some processors only has the places of those") {
  Processors processors;
  for (const std::uint32_t i : {2, 3, 9, 10}) processors.add(i, {{3, i < 8 ? "0-7" : "8-15"}});
  WorkerPlaces places = processors.places(2);
  REQUIRE(places.several());
  places.note(0, 2);
  places.note(1, 3);
  CHECK(places.of(0) == places.of(1));
  places.note(1, 9);
  CHECK(places.of(0) != places.of(1));
}

TEST_CASE("there is one place if nothing would be gained by several") {
  SUBCASE("one cache for all") {
    Processors processors;
    for (std::uint32_t i = 0; i != 4; ++i) processors.add(i, {{2, std::to_string(i)}, {3, "0-3"}});
    CHECK_FALSE(processors.places(4).several());
  }
  SUBCASE("no shared cache") {
    Processors processors;
    for (std::uint32_t i = 0; i != 4; ++i) processors.add(i, {{2, std::to_string(i)}});
    CHECK_FALSE(processors.places(4).several());
  }
  SUBCASE("fewer than two processors to a cache") {
    Processors processors;
    for (std::uint32_t i = 0; i != 4; ++i) processors.add(i, {{2, i < 2 ? "0-1" : std::to_string(i)}});
    CHECK_FALSE(processors.places(4).several());
  }
  SUBCASE("the system does not tell") {
    Processors processors;
    processors.add(0, {});
    processors.add(1, {});
    CHECK_FALSE(processors.places(2).several());
  }
  SUBCASE("a list that cannot be read") {
    Processors processors;
    for (std::uint32_t i = 0; i != 4; ++i) processors.add(i, {{3, "all"}});
    CHECK_FALSE(processors.places(4).several());
  }
  SUBCASE("one worker") {
    Processors processors;
    for (std::uint32_t i = 0; i != 4; ++i) processors.add(i, {{3, i < 2 ? "0-1" : "2-3"}});
    CHECK_FALSE(processors.places(1).several());
    CHECK(processors.places(2).several());
  }
}

TEST_CASE("the places of this machine can be read") {
  WorkerPlaces places(2);
  places.note(0);
  CHECK((places.of(0) != 0) == places.several());  // 0: unknown
}

TEST_SUITE_END();

}  // namespace volt::sched
