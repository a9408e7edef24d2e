// SPDX-License-Identifier: MIT

#include "http/files/file_cache.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/http/files/scratch_directory.h"

namespace volt::http::files {
TEST_SUITE_BEGIN("http/files/file_cache");
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr nanoseconds kStart = 1h;

SharedFile in_memory(std::string content) {
  auto file = std::make_shared<StoredFile>();
  file->content = std::move(content);
  return file;
}

SharedFile on_disk() {
  auto file = std::make_shared<StoredFile>();
  file->descriptor = FileDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return file;
}

std::string content(const SharedFile& file) { return file ? file->content : "none"; }

std::size_t kept(FileCache& cache, std::size_t count, nanoseconds now) {
  std::size_t found = 0;
  for (std::size_t i = 0; i != count; ++i) found += cache.find(std::to_string(i), now) != nullptr;
  return found;
}

}  // namespace

TEST_CASE("a file is found until it expires; then one caller reloads it while the others receive the old one") {
  FileCache cache({.reload_after = 1s});
  CHECK(cache.find("a", kStart) == nullptr);
  cache.put("a", in_memory("old"), kStart);
  CHECK(content(cache.find("a", kStart)) == "old");
  CHECK(content(cache.find("b", kStart)) == "none");
  CHECK(content(cache.find("a", kStart + 1s - 1ns)) == "old");
  CHECK(content(cache.find("a", kStart + 1s)) == "none");  // this caller must load the file
  CHECK(content(cache.find("a", kStart + 1s)) == "old");
  CHECK(content(cache.find("a", kStart + 1s + 1ms)) == "old");
  cache.put("a", in_memory("new"), kStart + 1s + 2ms);
  CHECK(content(cache.find("a", kStart + 2s)) == "new");
  CHECK(content(cache.find("a", kStart + 2s + 2ms)) == "none");
  cache.remove("a");
  CHECK(content(cache.find("a", kStart + 2s + 2ms)) == "none");
  CHECK(content(cache.find("a", kStart + 2s + 2ms)) == "none");
  cache.remove("a");
}

TEST_CASE("a file stays valid for its holder, whatever happens to its entry") {
  FileCache cache({});
  cache.put("a", in_memory("kept"), kStart);
  const SharedFile file = cache.find("a", kStart);
  cache.remove("a");
  CHECK(content(file) == "kept");
  CHECK(file.use_count() == 1);
}

TEST_CASE("the total size of contents is bounded, and the least recently used ones are removed first") {
  constexpr std::size_t kFiles = 400;
  FileCache cache({.bytes_max = 1024 * 1024});
  cache.put("often", in_memory("x"), kStart);
  for (std::size_t i = 0; i != kFiles; ++i) {
    cache.put(std::to_string(i), in_memory(std::string(15 * 1024, 'x')), kStart);
    CHECK(cache.find("often", kStart) != nullptr);
  }
  CHECK(kept(cache, kFiles, kStart) <= 64);
  CHECK(kept(cache, kFiles, kStart) >= 32);
  CHECK(cache.find(std::to_string(kFiles - 1), kStart) != nullptr);
}

TEST_CASE("empty files and keys count towards the bound") {
  FileCache cache({.bytes_max = 64 * 1024});
  for (std::size_t i = 0; i != 1000; ++i) cache.put(std::to_string(i), in_memory(""), kStart);
  CHECK(kept(cache, 1000, kStart) <= 64);
  cache.put(std::string(64 * 1024, 'k'), in_memory(""), kStart);
  CHECK(cache.find(std::string(64 * 1024, 'k'), kStart) == nullptr);
}

TEST_CASE("the number of descriptors is bounded, and removed ones are closed") {
  FileCache cache({.descriptors_max = 16});
  std::vector<std::weak_ptr<const StoredFile>> files;
  for (std::size_t i = 0; i != 200; ++i) {
    const SharedFile file = on_disk();
    files.push_back(file);
    cache.put(std::to_string(i), file, kStart);
  }
  std::size_t open = 0;
  for (const auto& file : files) open += !file.expired();
  CHECK(open <= 16);
  CHECK(open >= 8);
}

TEST_CASE("a cache of no bytes stores nothing") {
  FileCache cache({.bytes_max = 0});
  cache.put("a", in_memory("a"), kStart);
  CHECK(cache.find("a", kStart) == nullptr);
}

TEST_CASE("a cache whose files are loaded again at once stores nothing, even for a clock that is behind") {
  FileCache cache({.reload_after = 0s});
  cache.put("a", in_memory("a"), kStart);
  CHECK(cache.find("a", kStart - 1ms) == nullptr);
}

TEST_CASE("an entry without requests is removed, so that a deleted file releases its blocks") {
  FileCache cache({.reload_after = 1h, .forget_after = 60s});
  std::vector<std::weak_ptr<const StoredFile>> files;
  for (std::size_t i = 0; i != 50; ++i) {
    const SharedFile file = on_disk();
    files.push_back(file);
    cache.put(std::to_string(i), file, kStart);
  }
  CHECK(kept(cache, 50, kStart + 60s) == 50);
  CHECK(kept(cache, 50, kStart + 121s) == 0);  // each look-up visits one shard
  for (const auto& file : files) CHECK(file.expired());
}

TEST_CASE("many threads may use the cache concurrently") {
  FileCache cache({.bytes_max = 32 * 1024, .reload_after = 1us});
  std::vector<std::jthread> threads;
  for (int thread = 0; thread != 4; ++thread) {
    threads.emplace_back([&cache] {
      for (int i = 0; i != 2000; ++i) {
        const std::string key = std::to_string(i % 40);
        const nanoseconds now = kStart + nanoseconds(i * 100);
        const SharedFile file = cache.find(key, now);
        if (file) CHECK(file->content == key);
        if (!file) cache.put(key, in_memory(key), now);
        if (i % 97 == 0) cache.remove(key);
      }
    });
  }
}

TEST_SUITE_END();
}  // namespace volt::http::files
