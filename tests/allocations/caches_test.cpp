// SPDX-License-Identifier: MIT

// Caches when allocations fail: an entry that cannot be stored leaves the others, and the cache works on.
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "http/files/file_cache.h"
#include "runtime/lru_map.h"
#include "tests/allocations/failing.h"

namespace volt {
namespace {

using http::files::FileCache;
using http::files::SharedFile;
using http::files::StoredFile;
using test::Counted;
using test::FailingAllocation;
using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds kStart = 1h;

// Too long for a small string, so that each copy is an allocation.
std::string key(int number) { return "a key with a name that is long enough " + std::to_string(number); }

SharedFile file_of(std::string content) {
  auto file = std::make_shared<StoredFile>();
  file->content = std::move(content);
  return file;
}

// Calls `store` while the allocation with that number fails, until there is none with that number. `check` is told
// whether the call succeeded.
template <class Prepare, class Store, class Check>
void fail_each_allocation(Prepare prepare, Store store, Check check) {
  bool any_left = true;
  for (std::uint64_t number = 1; any_left; ++number) {
    CAPTURE(number);
    REQUIRE(number < 100);
    auto cache = prepare();
    bool stored = true;
    {
      const FailingAllocation failing(Counted::this_thread, number);
      try {
        store(*cache);
      } catch (const std::bad_alloc&) {  // decided: `check` is told
        stored = false;
      }
      any_left = failing.met();
    }
    CHECK(stored != any_left);
    check(*cache, stored);
  }
}

}  // namespace

TEST_SUITE_BEGIN("allocations/caches");

TEST_CASE("whichever allocation of LruMap::put() fails, the other entries stay and the bounds hold") {
  using Map = LruMap<std::string, std::string>;
  constexpr std::size_t kEntries = 3;
  const auto filled = [] {
    auto map = std::make_unique<Map>(LruBounds{.entries_max = kEntries, .bytes_max = 100 * kEntries});
    for (int i = 0; i != 3; ++i) map->put(key(i), "old", 100);
    return map;
  };
  for (const int number : {2, 7}) {  // in place of an earlier value, and beyond the bounds
    CAPTURE(number);
    std::string given;
    const auto put = [&](Map& map) { map.put(std::move(given), "new", 100); };
    const auto prepare = [&] {
      given = key(number);
      return filled();
    };
    fail_each_allocation(prepare, put, [&](Map& map, bool stored) {
      const std::string* const found = map.find(key(number));
      CHECK((found != nullptr) == stored);
      if (found != nullptr) CHECK(*found == "new");
      CHECK(map.find(key(1)) != nullptr);
      CHECK(map.size() == (stored || number == 7 ? kEntries : kEntries - 1));
      CHECK(map.bytes() == 100 * map.size());
      for (int i = 10; i != 20; ++i) map.put(key(i), "later", 100);
      CHECK(map.size() == kEntries);
      CHECK(map.bytes() == 100 * kEntries);
      for (int i = 17; i != 20; ++i) CHECK(map.find(key(i)) != nullptr);
    });
  }
}

TEST_CASE("whichever allocation of FileCache::put() fails, the other files stay and the bounds hold") {
  constexpr int kFiles = 40;
  constexpr std::size_t kFileBytes = 64 * 1024;
  const auto filled = [] {
    auto cache = std::make_unique<FileCache>(http::files::CacheBounds{.bytes_max = 8 * 16 * kFileBytes});
    for (int i = 0; i != kFiles; ++i) cache->put(key(i), file_of("old"), kStart);
    return cache;
  };
  for (const int number : {5, kFiles}) {  // in place of an earlier file, and a new one
    CAPTURE(number);
    const std::string name = key(number);
    SharedFile given;
    std::weak_ptr<const StoredFile> kept;
    const auto put = [&](FileCache& cache) { cache.put(name, std::move(given), kStart); };
    const auto prepare = [&] {
      given = file_of("new");
      kept = given;
      return filled();
    };
    fail_each_allocation(prepare, put, [&](FileCache& cache, bool stored) {
      given.reset();
      CHECK(kept.expired() != stored);
      CHECK((cache.find(name, kStart) != nullptr) == stored);
      for (int i = 0; i != kFiles; ++i) {
        if (i != number) CHECK(cache.find(key(i), kStart) != nullptr);
      }
      cache.put(name, file_of("again"), kStart);
      const SharedFile again = cache.find(name, kStart);
      REQUIRE(again != nullptr);
      CHECK(again->content == "again");
      std::size_t found = 0;
      for (int i = 0; i != 400; ++i) cache.put(key(1000 + i), file_of(std::string(kFileBytes, 'x')), kStart);
      for (int i = 0; i != 400; ++i) found += cache.find(key(1000 + i), kStart) != nullptr;
      CHECK(found > 0);
      CHECK(found <= 8 * 16);
    });
  }
}

TEST_SUITE_END();

}  // namespace volt
